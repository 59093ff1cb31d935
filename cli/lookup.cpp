// profdb lookup: the latency of one leaf operator, or of a stream of them, with the reason.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/jsonl.h"
#include "cli/output.h"
#include "cli/result_text.h"
#include "importer/input_file.h"
#include "profdb/engine.h"

namespace profdb::cli {
namespace {

constexpr std::size_t kMaxLeafBytes = std::size_t{64} * 1024 * 1024;

struct Options {
  EngineOptions engine;
  std::string database;
  std::string leaf;   // JSON, or the name of a file
  std::string jsonl;  // the name of a file, or "-"
  std::string padded_match = "last";
  std::string log = "off";
  bool no_interpolation = false;
  bool json = false;
};

EngineOptions engine_options(const Options& options) {
  EngineOptions engine = options.engine;
  engine.interpolation = !options.no_interpolation;
  engine.padded_match = options.padded_match == "last"     ? PaddedMatch::last
                        : options.padded_match == "before" ? PaddedMatch::before
                                                           : PaddedMatch::off;
  engine.log = options.log == "off" ? LogMode::off : options.log == "misses" ? LogMode::misses : LogMode::all;
  return engine;
}

LeafOp read_leaf(const std::string& argument) {
  const auto first = argument.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && argument[first] == '{') return parse_leaf_op(argument);
  importer::InputFile file(argument == "-" ? "/dev/stdin" : argument);
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

int run(const Options& options) {
  if (options.leaf.empty() && options.jsonl.empty())
    throw Error(ErrorKind::usage, "give a leaf operator as JSON or a file, or many with --jsonl FILE");
  Engine engine(options.database, engine_options(options));
  if (!options.jsonl.empty()) {
    const bool clean = answer_lines(engine, options.jsonl);
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
  finish_log(engine);
  return result.hit() ? kDone : kNo;
}

void add_engine_options(CLI::App& command, Options& options) {
  add_release_option(command, options.engine.release);
  command.add_option("--ep-size", options.engine.ep_size, "Expert parallelism of the deployment")
      ->type_name("N");
  command.add_option("--tp-size", options.engine.tp_size, "Tensor parallelism of the deployment")
      ->type_name("N");
  command.add_flag("--no-interpolation", options.no_interpolation, "Exact and compatible answers only");
  command
      .add_option("--padded-match", options.padded_match,
                  "Measurements of the call padded to a block: after interpolation, before it, or not at all")
      ->check(CLI::IsMember({"last", "before", "off"}).description(""))
      ->type_name("last|before|off");
  command.add_option("--log", options.log, "Which lookups go into the query log")
      ->check(CLI::IsMember({"off", "misses", "all"}).description(""))
      ->type_name("off|misses|all");
  command.add_option("--log-db", options.engine.log_db, "A database of its own for the query log")
      ->type_name("FILE");
}

}  // namespace

void add_lookup(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("lookup", "Ask for the latency of a leaf operator, or of many");
  CLI::Option* leaf = command->add_option("leaf", options->leaf, "The leaf operator: JSON, or a file with it")
                          ->type_name("LEAF_JSON|FILE");
  add_db_option(*command, options->database);
  add_engine_options(*command, *options);
  command
      ->add_option("--jsonl", options->jsonl,
                   "Leaf operators, one per line; -: standard input. Prints one JSON result per line")
      ->type_name("FILE|-")
      ->excludes(leaf);
  add_json_option(*command, options->json);
  command->footer(
      "Example:\n"
      "  profdb lookup --db prof.db '{\"op\": \"aten.mm.default\",\n"
      "      \"inputs\": [{\"shape\": [128, 4096], \"dtype\": \"bfloat16\"},\n"
      "                 {\"shape\": [4096, 7168], \"dtype\": \"bfloat16\"}],\n"
      "      \"outputs\": [{\"shape\": [128, 7168], \"dtype\": \"bfloat16\"}]}'\n"
      "  profdb lookup --db prof.db --jsonl leaves.jsonl > results.jsonl\n"
      "Exits with 1 for a miss of a single lookup, with 3 where a line is no leaf operator.");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace profdb::cli
