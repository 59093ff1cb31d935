// The time ledger of a round: where did the time go (acceptance-protocol §6)?
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "serving/rules/intervals.h"

namespace profdb::serving {

// The categories, in the order in which reports list them. "pause" is the only one that is no activity.
const std::vector<std::string>& ledger_categories();

// One event. What is not known is absent, never zero. Two lines of a ledger with one event id are one event:
// the later line adds what the earlier did not know.
struct LedgerEvent {
  std::string event;  // id, unique in the round
  std::string round;
  std::string attempt;
  std::string actor;
  std::string command;
  std::string host;
  std::string category;
  std::string status;  // "open", "ok", "failed", "aborted"
  std::string reason;
  std::string parent;  // event id, or empty
  std::string evidence_path;
  std::string evidence_sha256;
  std::string start_clock_id, end_clock_id;  // monotonic clocks of the two ends
  std::optional<std::int64_t> utc_start_ns, utc_end_ns;
  std::optional<std::int64_t> monotonic_start_ns, monotonic_end_ns;
};

nlohmann::ordered_json to_json(const LedgerEvent& event);
// Throws FieldError: unknown fields or categories, texts that are no UTC time, a pause with a parent is fine.
LedgerEvent parse_ledger_event(const nlohmann::ordered_json& json);
// Adds what `later` knows. Throws FieldError where the two contradict each other.
void merge(LedgerEvent& event, const LedgerEvent& later);

// Where the event stands on the UTC timeline, ns: its UTC start plus its monotonic length where both ends
// have one clock, else both UTC ends. Nothing where that is unknown, or where it would end before it starts.
std::optional<Interval> placement(const LedgerEvent& event);

// The time of the events of one category, actor or command.
struct LedgerShare {
  std::optional<std::int64_t> union_ns;  // of their intervals; absent where none is known
  std::optional<std::int64_t> own_ns;  // of their intervals without those of their children; absent likewise
  std::int64_t events = 0;
  std::int64_t unknown_events = 0;  // without a place on the timeline
};

struct LedgerSummary {
  std::int64_t events = 0;
  std::int64_t unknown_events = 0;
  std::optional<std::int64_t> wall_clock_ns;    // first known start to last known end
  std::optional<std::int64_t> active_ns;        // wall clock without pauses and gaps
  std::optional<std::int64_t> pause_ns;         // union of the pauses; absent where none is known
  std::optional<std::int64_t> unattributed_ns;  // of the wall clock, what no event covers
  std::map<std::string, LedgerShare> by_category, by_actor, by_command;
  // By event id: its time without its children's. Absent where it or a child of it has no known place.
  std::map<std::string, std::optional<std::int64_t>> own_ns;
};

LedgerSummary summarize(const std::vector<LedgerEvent>& events);

}  // namespace profdb::serving
