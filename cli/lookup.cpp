// profdb lookup: the latency of one leaf operator, or of a stream of them, with the reason.
#include <fmt/format.h>

#include <memory>

#include "base/input/input_file.h"
#include "cli/commands.h"
#include "cli/input/engine_options.h"
#include "cli/input/jsonl.h"
#include "cli/input/options.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/text/engine_stats.h"
#include "cli/text/result_text.h"
#include "profdb/engine.h"

namespace profdb::cli {
namespace {

constexpr std::size_t kMaxLeafBytes = std::size_t{64} * 1024 * 1024;

struct LookupOptions {
  EngineFlags engine;
  std::string database;
  std::string leaf;   // JSON, or the name of a file
  std::string jsonl;  // the name of a file, or "-"
  std::string log = "off";
  std::size_t cache_mib = EngineOptions().cache_bytes >> 20U;
  bool json = false;
  bool stats = false;
};

EngineOptions engine_options(const LookupOptions& options) {
  EngineOptions engine = options.engine.engine_options();
  engine.cache_bytes = options.cache_mib << 20U;
  engine.log = options.log == "off" ? LogMode::off : options.log == "misses" ? LogMode::misses : LogMode::all;
  return engine;
}

LeafOp read_leaf(const std::string& argument) {
  const auto first = argument.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && argument[first] == '{') return parse_leaf_op(argument);
  InputFile file(argument == "-" ? "/dev/stdin" : argument);
  std::string text;
  for (std::string_view piece = file.read(kMaxLeafBytes); !piece.empty(); piece = file.read(kMaxLeafBytes)) {
    text += piece;
    if (text.size() > kMaxLeafBytes)
      throw Error(
          ErrorKind::input,
          fmt::format("{}: longer than {} MiB, which no leaf operator is; for one leaf per line use --jsonl",
                      argument, kMaxLeafBytes >> 20U));
  }
  try {
    return parse_leaf_op(text);
  } catch (const Error& e) {
    throw Error(e.kind(), fmt::format("{}: {}", argument, e.what()));
  }
}

// Logging never fails a lookup: what it lost is only reported.
void finish_log(Engine& engine) {
  try {
    engine.flush_log();
  } catch (const Error& e) {
    warn(fmt::format("the query log is not complete: {}", e.what()));
  }
  const LogStats stats = engine.log_stats();
  if (stats.dropped > 0)
    warn(fmt::format("{} of {} log entries were dropped because the log could not be written in time",
                     count(static_cast<std::int64_t>(stats.dropped)),
                     count(static_cast<std::int64_t>(stats.dropped + stats.logged))));
}

int run(const LookupOptions& options) {
  if (options.leaf.empty() && options.jsonl.empty())
    throw Error(ErrorKind::usage, "give a leaf operator as JSON or a file, or many with --jsonl FILE");
  Engine engine(options.database, engine_options(options));
  if (!options.jsonl.empty()) {
    const bool clean = answer_lines(engine, options.jsonl);
    if (options.stats) note(engine_stats_text(engine.stats()));
    finish_log(engine);
    return clean ? kDone : kInput;
  }
  const LeafOp leaf = read_leaf(options.leaf);
  const ResultPtr answer = engine.lookup(leaf);
  const Result& result = *answer;
  if (options.json)
    print_json(to_json(result));
  else
    print(result_text(leaf, result, engine.release()));
  flush_output();
  if (options.stats) note(engine_stats_text(engine.stats()));
  finish_log(engine);
  return result.hit() ? kDone : kNo;
}

void add_log_options(Command command, LookupOptions& options) {
  command
      .add_option("--cache-mib", options.cache_mib,
                  "What the engine may keep between lookups (256; 0: nothing)")
      .range(0, 1 << 20)
      .type_name("MIB");
  command.add_flag("--stats", options.stats, "Print the counters of the caches to standard error");
  command.add_option("--log", options.log, "Which lookups go into the query log")
      .one_of({"off", "misses", "all"})
      .type_name("off|misses|all");
  command.add_option("--log-db", options.engine.options.log_db, "A database of its own for the query log")
      .type_name("FILE");
}

}  // namespace

void add_lookup(Command app, Action& action) {
  const auto options = std::make_shared<LookupOptions>();
  const Command command = app.add_subcommand("lookup", "Ask for the latency of a leaf operator, or of many");
  const Option leaf = command.add_option("leaf", options->leaf, "The leaf operator: JSON, or a file with it")
                          .type_name("LEAF_JSON|FILE");
  add_db_option(command, options->database);
  add_engine_options(command, options->engine);
  add_log_options(command, *options);
  command
      .add_option("--jsonl", options->jsonl,
                  "Leaf operators, one per line; -: standard input. Prints one JSON result per line")
      .type_name("FILE|-")
      .excludes(leaf);
  add_json_option(command, options->json);
  command.footer(
      "Example:\n"
      "  profdb lookup --db prof.db '{\"op\": \"aten.mm.default\",\n"
      "      \"inputs\": [{\"shape\": [128, 4096], \"dtype\": \"bfloat16\"},\n"
      "                 {\"shape\": [4096, 7168], \"dtype\": \"bfloat16\"}],\n"
      "      \"outputs\": [{\"shape\": [128, 7168], \"dtype\": \"bfloat16\"}]}'\n"
      "  profdb lookup --db prof.db --jsonl leaves.jsonl > results.jsonl\n"
      "Exits with 1 for a miss of a single lookup, with 3 where a line is no leaf operator.");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace profdb::cli
