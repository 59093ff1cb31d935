// profdb serving run: measures a running service by a protocol, and writes the records of its requests.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/input/options.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/output/table.h"
#include "cli/serving/serving.h"
#include "serving/client/service_run.h"
#include "serving/read/document.h"
#include "serving/read/prompt_pool.h"

namespace profdb::cli {
namespace {

struct ServingRunOptions {
  serving::RunOptions run;
  std::string protocol;
  std::string prompts;
  std::string folder;
  bool json = false;
};

// One line on a terminal that is always written anew; nothing elsewhere.
class ProgressLine {
 public:
  ~ProgressLine() {
    if (drawn_) static_cast<void>(std::fputs("\r\x1b[K", stderr));
  }
  void show(const serving::RunProgress& progress) {
    if (!terminal_) return;
    const std::string line =
        fmt::format("\rlevel {}, attempt {}: {} {}/{}\x1b[K", progress.level, progress.attempt,
                    to_string(progress.phase), progress.ended, progress.requests);
    static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
    static_cast<void>(std::fflush(stderr));
    drawn_ = true;
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) == 1;
  bool drawn_ = false;
};

// Every level that was to be run has an attempt without complaints.
bool complete(const ServingRunOptions& options, const std::vector<serving::LevelAttempt>& attempts) {
  const auto& asked = options.run.levels.empty() ? options.run.protocol.levels : options.run.levels;
  return std::all_of(asked.begin(), asked.end(), [&](std::int64_t level) {
    return std::any_of(attempts.begin(), attempts.end(), [&](const serving::LevelAttempt& attempt) {
      return attempt.level == level && attempt.complaints.empty();
    });
  });
}

std::string milliseconds(std::int64_t ns) {
  return number(static_cast<double>(ns) / 1e6);
}

nlohmann::ordered_json to_json(const std::vector<serving::LevelAttempt>& attempts,
                               const serving::RecordFolder& folder) {
  auto list = nlohmann::ordered_json::array();
  for (const serving::LevelAttempt& attempt : attempts)
    list.push_back({{"level", attempt.level},
                    {"attempt", attempt.attempt},
                    {"records", attempt.records},
                    {"warmup_spread_ns", attempt.warmup_spread_ns},
                    {"measured_spread_ns", attempt.measured_spread_ns},
                    {"complaints", attempt.complaints}});
  return {{"records", folder.record_file().string()}, {"attempts", list}};
}

std::string to_text(const std::vector<serving::LevelAttempt>& attempts, const serving::RecordFolder& folder) {
  Table table({{"level", Align::right},
               {"attempt", Align::right},
               {"records", Align::right},
               {"start spread ms", Align::right},
               {"complaints"}});
  for (const serving::LevelAttempt& attempt : attempts) {
    const std::string more = attempt.complaints.size() > 1
                                 ? fmt::format(" (and {} more)", attempt.complaints.size() - 1)
                                 : std::string();
    table.add({count(attempt.level), count(attempt.attempt), count(attempt.records),
               milliseconds(attempt.measured_spread_ns),
               attempt.complaints.empty() ? "none" : printable(attempt.complaints.front()) + more});
  }
  return table.text() + fmt::format("\nrecords: {}\n", folder.record_file().string());
}

std::vector<serving::TokenizedPrompt> prompts(const std::vector<serving::Prompt>& facts,
                                              const std::vector<std::string>& token_ids) {
  std::vector<serving::TokenizedPrompt> result;
  for (std::size_t i = 0; i < facts.size(); ++i) result.push_back({token_ids[i], facts[i].tokens});
  return result;
}

serving::TokenizedPools read_pools(const std::string& path) {
  const auto file = serving::parse_pool(serving::read_whole(path), path);
  return {prompts(file.pool.warmup, file.warmup_ids), prompts(file.pool.measured, file.measured_ids)};
}

int run(ServingRunOptions& options) {
  options.run.protocol = serving::load_protocol(options.protocol);
  options.run.pools = read_pools(options.prompts);
  serving::RecordFolder folder(options.folder, options.run.identity);
  std::vector<serving::LevelAttempt> attempts;
  {
    ProgressLine line;
    options.run.progress = [&](const serving::RunProgress& progress) { line.show(progress); };
    attempts = serving::run_service(options.run, folder);
  }
  if (options.json)
    print_json(to_json(attempts, folder));
  else
    print(to_text(attempts, folder));
  return complete(options, attempts) ? kDone : kInconclusive;
}

void add_identity_options(Command command, serving::RunIdentity& identity) {
  command.add_option("--round", identity.round, "Round id, as in the RunSpec").required().type_name("ID");
  command.add_option("--run", identity.run, "The run's role in the round, e.g. B1")
      .required()
      .type_name("ROLE");
  command.add_option("--service", identity.service, "Service id, as in the service file")
      .required()
      .type_name("ID");
  command.add_option("--model", identity.model, "Name of the model, where the service wants one")
      .type_name("NAME");
}

void add_file_options(Command command, ServingRunOptions& options) {
  command.add_option("--protocol", options.protocol, "The protocol, e.g. serving/protocols/default.yaml")
      .required()
      .type_name("FILE");
  command
      .add_option("--prompts", options.prompts,
                  R"(The prompt pools: JSON with the lists "warmup" and "measured" of lists of token ids)")
      .required()
      .type_name("FILE");
  command.add_option("--out", options.folder, "Folder for the records and raw responses; one per run")
      .required()
      .type_name("DIR");
}

}  // namespace

void add_serving_run(Command serving, Action& action) {
  const auto options = std::make_shared<ServingRunOptions>();
  const Command command =
      serving.add_subcommand("run", "Measure a running service by a protocol; write its records");
  command.add_option("endpoint", options->run.endpoint, "The service, e.g. http://127.0.0.1:8000")
      .required()
      .type_name("URL");
  add_identity_options(command, options->run.identity);
  add_file_options(command, *options);
  command.add_option("--level", options->run.levels, "Only this level of the protocol (may be repeated)")
      .type_name("C")
      .one_value();
  command
      .add_option("--attempts", options->run.most_attempts,
                  "Run a level with complaints again, up to so many times in all")
      .type_name("N:INT in [1 - 100]")
      .range(1, 100)
      .show_default();
  command.add_flag("--keep-going", options->run.keep_going,
                   "Go on to the next level where a level has complaints");
  add_json_option(command, options->json);
  command.footer(
      "Example:\n"
      "  profdb serving run http://127.0.0.1:8000 --round r7 --run B1 --service svc-20261107-1 \\\n"
      "      --protocol serving/protocols/default.yaml --prompts prompts.json --out evidence/r7/B1\n"
      "At each level C, C warm-up requests, then C measured requests together, each over its own "
      "connection.\n"
      "DIR/requests.jsonl grows by a line per request; what is there is never changed, and running a level\n"
      "again adds another attempt. Exit code 5: a level has no attempt without complaints.");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace profdb::cli
