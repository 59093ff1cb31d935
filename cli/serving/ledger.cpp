// profdb serving ledger: writing the time ledger as work goes on, and adding it up.
#include <fmt/format.h>

#include <filesystem>

#include "base/utc.h"
#include "cli/input/options.h"
#include "cli/output/exit_code.h"
#include "cli/output/output.h"
#include "cli/output/table.h"
#include "cli/serving/serving.h"
#include "profdb/error.h"
#include "serving/read/ledger_file.h"
#include "serving/report/report_sections.h"

namespace profdb::cli {

using nlohmann::ordered_json;
using serving::LedgerEvent;

namespace {

struct LedgerOptions {
  std::string file;
  LedgerEvent event;
  std::string start, end;  // UTC, of add
  bool json = false;
};

std::vector<LedgerEvent> existing(const std::string& file) {
  return std::filesystem::exists(file) ? serving::load_ledger(file) : std::vector<LedgerEvent>();
}

const LedgerEvent* find(const std::vector<LedgerEvent>& events, const std::string& id) {
  for (const LedgerEvent& event : events)
    if (event.event == id) return &event;
  return nullptr;
}

void require_category(const std::string& category) {
  const auto& all = serving::ledger_categories();
  if (std::find(all.begin(), all.end(), category) == all.end())
    throw Error(ErrorKind::usage,
                fmt::format("'{}' is no category; choose from {}", category, fmt::join(all, ", ")));
}

void append(const LedgerOptions& options, const LedgerEvent& event) {
  serving::append_ledger(options.file, event);
  if (options.json)
    print_json(to_json(event));
  else
    print(fmt::format("{}  {}  {}\n", printable(event.event),
                      event.category.empty() ? "stopped" : event.category,
                      event.utc_end_ns ? format_utc(*event.utc_end_ns) : format_utc(*event.utc_start_ns)));
}

int start(LedgerOptions& options) {
  require_category(options.event.category);
  const auto events = existing(options.file);
  LedgerEvent& event = options.event;
  if (event.event.empty()) event.event = fmt::format("e{}", events.size() + 1);
  if (find(events, event.event) != nullptr)
    throw Error(ErrorKind::input,
                fmt::format("{} has an event '{}'; choose another --event", options.file, event.event));
  if (!event.parent.empty() && find(events, event.parent) == nullptr)
    throw Error(ErrorKind::input,
                fmt::format("{} has no event '{}' to be the parent", options.file, event.parent));
  event.status = "open";
  event.host = host_name();
  event.start_clock_id = monotonic_clock_id();
  event.utc_start_ns = utc_now_ns();
  event.monotonic_start_ns = monotonic_now_ns();
  append(options, event);
  return kDone;
}

int stop(LedgerOptions& options) {
  const auto events = existing(options.file);
  const LedgerEvent* open = find(events, options.event.event);
  if (open == nullptr)
    throw Error(ErrorKind::input, fmt::format("{} has no event '{}'; 'ledger start' begins one", options.file,
                                              options.event.event));
  if (open->utc_end_ns)
    throw Error(ErrorKind::input,
                fmt::format("event '{}' ended at {}", open->event, format_utc(*open->utc_end_ns)));
  LedgerEvent& event = options.event;
  event.round = open->round;
  if (event.status.empty()) event.status = "ok";
  event.end_clock_id = monotonic_clock_id();
  event.utc_end_ns = utc_now_ns();
  event.monotonic_end_ns = monotonic_now_ns();
  append(options, event);
  return kDone;
}

std::optional<std::int64_t> given_time(const std::string& text, const char* option) {
  if (text.empty()) return std::nullopt;
  const auto time = parse_utc(text);
  if (!time)
    throw Error(ErrorKind::usage, fmt::format("{} is '{}'; write UTC as 2026-11-07T12:14:20Z", option, text));
  return time;
}

int add(LedgerOptions& options) {
  require_category(options.event.category);
  const auto events = existing(options.file);
  LedgerEvent& event = options.event;
  if (event.event.empty()) event.event = fmt::format("e{}", events.size() + 1);
  if (find(events, event.event) != nullptr)
    throw Error(ErrorKind::input,
                fmt::format("{} has an event '{}'; choose another --event", options.file, event.event));
  event.utc_start_ns = given_time(options.start, "--start");
  event.utc_end_ns = given_time(options.end, "--end");
  if (event.utc_start_ns && event.utc_end_ns && *event.utc_end_ns < *event.utc_start_ns)
    throw Error(ErrorKind::usage, "--end is before --start");
  if (event.status.empty()) event.status = "ok";
  serving::append_ledger(options.file, event);
  if (options.json)
    print_json(to_json(event));
  else
    print(fmt::format("{}  {}\n", printable(event.event), event.category));
  return kDone;
}

ordered_json seconds(const std::optional<std::int64_t>& ns) {
  return ns ? ordered_json(static_cast<double>(*ns) / 1e9) : ordered_json();
}

ordered_json to_json(const std::map<std::string, serving::LedgerShare>& shares) {
  auto json = ordered_json::object();
  for (const auto& [name, share] : shares)
    json[name] = {{"union_s", seconds(share.union_ns)},
                  {"own_s", seconds(share.own_ns)},
                  {"events", share.events},
                  {"unknown_events", share.unknown_events}};
  return json;
}

int summary(const LedgerOptions& options, const ServingOptions& round) {
  if (options.file.empty() == round.round.empty())
    throw Error(ErrorKind::usage, "name either --file, or --db and --round");
  std::vector<LedgerEvent> events;
  if (!options.file.empty()) {
    events = serving::load_ledger(options.file);
  } else {
    store::Connection connection(round.database, store::Mode::read);
    events = serving::load_events(connection, serving::find_round(connection, round.round).id);
  }
  const auto sums = serving::summarize(events);
  if (options.json) {
    auto own = ordered_json::object();
    for (const auto& [event, ns] : sums.own_ns) own[event] = seconds(ns);
    print_json({{"wall_clock_s", seconds(sums.wall_clock_ns)},
                {"active_s", seconds(sums.active_ns)},
                {"pause_s", seconds(sums.pause_ns)},
                {"unattributed_s", seconds(sums.unattributed_ns)},
                {"events", sums.events},
                {"unknown_events", sums.unknown_events},
                {"by_category", to_json(sums.by_category)},
                {"by_actor", to_json(sums.by_actor)},
                {"by_command", to_json(sums.by_command)},
                {"own_s_by_event", std::move(own)}});
    return kDone;
  }
  Facts facts;
  facts.add("wall clock", serving::duration_text(sums.wall_clock_ns));
  facts.add("active", serving::duration_text(sums.active_ns));
  facts.add("pauses", serving::duration_text(sums.pause_ns));
  facts.add("unattributed", serving::duration_text(sums.unattributed_ns));
  facts.add("events", count(sums.events));
  if (sums.unknown_events > 0) facts.add("of unknown time", count(sums.unknown_events));
  print(facts.text());
  for (const auto& [what, shares] :
       {std::pair("category", &sums.by_category), std::pair("actor", &sums.by_actor),
        std::pair("command", &sums.by_command)}) {
    if (shares->empty()) continue;
    Table table({{what},
                 {"union", Align::right},
                 {"without children", Align::right},
                 {"events", Align::right},
                 {"unknown", Align::right}});
    for (const auto& [name, share] : *shares)
      table.add({printable(name), serving::duration_text(share.union_ns),
                 serving::duration_text(share.own_ns), count(share.events),
                 share.unknown_events > 0 ? count(share.unknown_events) : ""});
    print("\n" + table.text());
  }
  return kDone;
}

Command add_part(Command ledger, const char* name, const char* what,
                 const std::shared_ptr<LedgerOptions>& options, bool file_required) {
  const Command command = ledger.add_subcommand(name, what);
  const Option file =
      command.add_option("--file", options->file, "The ledger, e.g. time-ledger.jsonl").type_name("FILE");
  if (file_required) file.required();
  add_json_option(command, options->json);
  return command;
}

void add_event_options(Command command, LedgerEvent& event) {
  command.add_option("--round", event.round, "The round's id").required().type_name("ROUND");
  command
      .add_option("--category", event.category,
                  fmt::format("One of {}", fmt::join(serving::ledger_categories(), ", ")))
      .required()
      .type_name("CATEGORY");
  command.add_option("--event", event.event, "Id of the event; made where left out").type_name("ID");
  command.add_option("--attempt", event.attempt, "Attempt that it belongs to").type_name("ID");
  command.add_option("--actor", event.actor, "Who does it").type_name("NAME");
  command.add_option("--command", event.command, "What is run").type_name("TEXT");
  command.add_option("--parent", event.parent, "Event that it is part of").type_name("ID");
}

}  // namespace

void add_serving_ledger(Command serving, Action& action) {
  const Command ledger =
      serving.add_subcommand("ledger", "Keep the time ledger of a round: start, stop, add, summary");
  ledger.require_subcommand();
  ledger.footer(
      "Example:\n  profdb serving ledger start --file time-ledger.jsonl --round r7 --category coding");

  const auto starting = std::make_shared<LedgerOptions>();
  Command command = add_part(ledger, "start", "An event begins now", starting, true);
  add_event_options(command, starting->event);
  command.footer(
      "Example:\n  profdb serving ledger start --file time-ledger.jsonl --round r7 --category coding --event "
      "c1");
  command.callback([starting, &action] { action = [starting] { return start(*starting); }; });

  const auto stopping = std::make_shared<LedgerOptions>();
  command = add_part(ledger, "stop", "An event ends now", stopping, true);
  command.add_option("--event", stopping->event.event, "Id of the event").required().type_name("ID");
  command.add_option("--status", stopping->event.status, "ok (the default), failed or aborted")
      .one_of({"ok", "failed", "aborted"})
      .type_name("STATUS:{ok,failed,aborted}");
  command.add_option("--reason", stopping->event.reason, "Why it failed, or what held it up")
      .type_name("TEXT");
  command.footer("Example:\n  profdb serving ledger stop --file time-ledger.jsonl --event c1");
  command.callback([stopping, &action] { action = [stopping] { return stop(*stopping); }; });

  const auto adding = std::make_shared<LedgerOptions>();
  command = add_part(ledger, "add", "Add a past event; an end that is left out stays unknown", adding, true);
  add_event_options(command, adding->event);
  command.add_option("--start", adding->start, "UTC, 2026-11-07T12:14:20Z").type_name("UTC");
  command.add_option("--end", adding->end, "UTC").type_name("UTC");
  command.add_option("--status", adding->event.status, "ok (the default), failed or aborted")
      .one_of({"ok", "failed", "aborted"})
      .type_name("STATUS:{ok,failed,aborted}");
  command.add_option("--reason", adding->event.reason, "Why it failed, or what held it up").type_name("TEXT");
  command.footer(
      "Example:\n  profdb serving ledger add --file time-ledger.jsonl --round r7 --category pause \\\n"
      "      --start 2026-11-07T12:14:20Z --end 2026-11-07T12:25:27Z");
  command.callback([adding, &action] { action = [adding] { return add(*adding); }; });

  const auto summing = std::make_shared<LedgerOptions>();
  const auto round = std::make_shared<ServingOptions>();
  command = add_part(ledger, "summary", "Add a ledger up: by category, actor and command", summing, false);
  command.add_option("--db", round->database, "The database file, with --round").type_name("FILE");
  command.add_option("--round", round->round, "A round whose ledger was imported")
      .type_name("ROUND")
      .needs("--db");
  command.footer(
      "Example:\n  profdb serving ledger summary --file time-ledger.jsonl\nOverlapping events count once; "
      "what is not known stays unknown.");
  command.callback(
      [summing, round, &action] { action = [summing, round] { return summary(*summing, *round); }; });
}

}  // namespace profdb::cli
