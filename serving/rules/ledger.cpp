// Events on the timeline, and the union rule.
#include "serving/rules/ledger.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fields.h"
#include "base/utc.h"

namespace profdb::serving {

using nlohmann::ordered_json;

namespace {

std::optional<std::int64_t> read_utc(Fields& fields, const char* key) {
  const auto text = fields.optional_text(key);
  if (!text) return std::nullopt;
  const auto time = parse_utc(*text);
  if (!time) fields.fail(key, fmt::format("is '{}'; write UTC as 2026-11-07T12:14:20Z", *text));
  return time;
}

// What one event adds to the shares that it belongs to.
struct Placed {
  const LedgerEvent* event = nullptr;
  std::optional<Interval> place;
  std::optional<IntervalSet> own;
};

std::vector<Placed> place_all(const std::vector<LedgerEvent>& events) {
  std::map<std::string, std::vector<std::size_t>> children;
  std::vector<Placed> placed;
  for (std::size_t i = 0; i < events.size(); ++i) {
    placed.push_back({&events[i], placement(events[i]), std::nullopt});
    if (!events[i].parent.empty()) children[events[i].parent].push_back(i);
  }
  for (Placed& one : placed) {
    if (!one.place) continue;
    std::vector<Interval> of_children;
    bool known = true;
    if (const auto mine = children.find(one.event->event); mine != children.end())
      for (const std::size_t child : mine->second) {
        known = known && placed[child].place.has_value();
        if (placed[child].place) of_children.push_back(*placed[child].place);
      }
    if (known) one.own = subtract(unite({*one.place}), unite(std::move(of_children)));
  }
  return placed;
}

class ShareBuilder {
 public:
  void add(const Placed& one) {
    ++share_.events;
    if (one.place)
      intervals_.push_back(*one.place);
    else
      ++share_.unknown_events;
    if (one.own) {
      own_.insert(own_.end(), one.own->begin(), one.own->end());
      own_known_ = true;
    }
  }
  LedgerShare build() {
    if (!intervals_.empty()) share_.union_ns = length(unite(intervals_));
    if (own_known_) share_.own_ns = length(unite(own_));
    return share_;
  }

 private:
  LedgerShare share_;
  std::vector<Interval> intervals_;
  std::vector<Interval> own_;
  bool own_known_ = false;
};

std::map<std::string, LedgerShare> shares(const std::vector<Placed>& placed,
                                          std::string LedgerEvent::*member) {
  std::map<std::string, ShareBuilder> builders;
  for (const Placed& one : placed)
    if (const std::string& key = one.event->*member; !key.empty()) builders[key].add(one);
  std::map<std::string, LedgerShare> built;
  for (auto& [key, builder] : builders) built[key] = builder.build();
  return built;
}

// First known start and last known end; ends count where the event has no place as well.
std::optional<Interval> wall_clock(const std::vector<Placed>& placed) {
  std::optional<std::int64_t> first;
  std::optional<std::int64_t> last;
  for (const Placed& one : placed) {
    const auto start = one.place ? std::optional(one.place->start) : one.event->utc_start_ns;
    const auto end = one.place ? std::optional(one.place->end) : one.event->utc_end_ns;
    if (start) first = std::min(first.value_or(*start), *start);
    if (end) last = std::max(last.value_or(*end), *end);
  }
  if (!first || !last || *last < *first) return std::nullopt;
  return Interval{*first, *last};
}

void merge_text(std::string& mine, const std::string& other, const char* key) {
  if (other.empty() || mine == other) return;
  // An end may change what the start could not know.
  if (!mine.empty() && mine != "open")
    throw FieldError(
        fmt::format("/{}", key),
        fmt::format("is '{}' here and '{}' in an earlier line of the same event; correct one", other, mine));
  mine = other;
}

void merge_time(std::optional<std::int64_t>& mine, const std::optional<std::int64_t>& other,
                const char* key) {
  if (!other || mine == other) return;
  if (mine)
    throw FieldError(fmt::format("/{}", key), "differs from an earlier line of the same event; correct one");
  mine = other;
}

}  // namespace

const std::vector<std::string>& ledger_categories() {
  static const std::vector<std::string> all = {
      "analysis",       "knowledge",        "coding",          "build_deploy", "debugging",
      "component_test", "service_prepare",  "service_reclaim", "perf_warmup",  "perf_measured",
      "accuracy",       "recompute_review", "archive_submit",  "pause"};
  return all;
}

LedgerEvent parse_ledger_event(const ordered_json& json) {
  Fields fields(json);
  LedgerEvent event;
  event.event = fields.text("event");
  event.round = fields.text("round");
  event.attempt = fields.optional_text("attempt").value_or("");
  event.actor = fields.optional_text("actor").value_or("");
  event.command = fields.optional_text("command").value_or("");
  event.host = fields.optional_text("host").value_or("");
  if (fields.has("category")) event.category = fields.one_of("category", ledger_categories());
  static_cast<void>(fields.any("category"));
  if (fields.has("status")) event.status = fields.one_of("status", {"open", "ok", "failed", "aborted"});
  static_cast<void>(fields.any("status"));
  event.reason = fields.optional_text("reason").value_or("");
  event.parent = fields.optional_text("parent").value_or("");
  event.evidence_path = fields.optional_text("evidence_path").value_or("");
  event.evidence_sha256 = fields.optional_sha256("evidence_sha256").value_or("");
  event.start_clock_id = fields.optional_text("start_clock_id").value_or("");
  event.end_clock_id = fields.optional_text("end_clock_id").value_or("");
  event.utc_start_ns = read_utc(fields, "utc_start");
  event.utc_end_ns = read_utc(fields, "utc_end");
  event.monotonic_start_ns = fields.optional_integer("monotonic_start_ns");
  event.monotonic_end_ns = fields.optional_integer("monotonic_end_ns");
  fields.done();
  return event;
}

ordered_json to_json(const LedgerEvent& event) {
  ordered_json json = {{"event", event.event}, {"round", event.round}};
  const auto add = [&json](const char* key, const std::string& value) {
    if (!value.empty()) json[key] = value;
  };
  add("attempt", event.attempt);
  add("actor", event.actor);
  add("command", event.command);
  add("host", event.host);
  add("category", event.category);
  add("status", event.status);
  add("reason", event.reason);
  add("parent", event.parent);
  add("evidence_path", event.evidence_path);
  add("evidence_sha256", event.evidence_sha256);
  add("start_clock_id", event.start_clock_id);
  add("end_clock_id", event.end_clock_id);
  if (event.utc_start_ns) json["utc_start"] = format_utc(*event.utc_start_ns);
  if (event.utc_end_ns) json["utc_end"] = format_utc(*event.utc_end_ns);
  if (event.monotonic_start_ns) json["monotonic_start_ns"] = *event.monotonic_start_ns;
  if (event.monotonic_end_ns) json["monotonic_end_ns"] = *event.monotonic_end_ns;
  return json;
}

void merge(LedgerEvent& event, const LedgerEvent& later) {
  merge_text(event.round, later.round, "round");
  merge_text(event.attempt, later.attempt, "attempt");
  merge_text(event.actor, later.actor, "actor");
  merge_text(event.command, later.command, "command");
  merge_text(event.host, later.host, "host");
  merge_text(event.category, later.category, "category");
  merge_text(event.status, later.status, "status");
  merge_text(event.reason, later.reason, "reason");
  merge_text(event.parent, later.parent, "parent");
  merge_text(event.evidence_path, later.evidence_path, "evidence_path");
  merge_text(event.evidence_sha256, later.evidence_sha256, "evidence_sha256");
  merge_text(event.start_clock_id, later.start_clock_id, "start_clock_id");
  merge_text(event.end_clock_id, later.end_clock_id, "end_clock_id");
  merge_time(event.utc_start_ns, later.utc_start_ns, "utc_start");
  merge_time(event.utc_end_ns, later.utc_end_ns, "utc_end");
  merge_time(event.monotonic_start_ns, later.monotonic_start_ns, "monotonic_start_ns");
  merge_time(event.monotonic_end_ns, later.monotonic_end_ns, "monotonic_end_ns");
}

std::optional<Interval> placement(const LedgerEvent& event) {
  if (!event.utc_start_ns) return std::nullopt;
  const bool one_clock = !event.start_clock_id.empty() && event.start_clock_id == event.end_clock_id;
  std::optional<std::int64_t> end = event.utc_end_ns;
  if (one_clock && event.monotonic_start_ns && event.monotonic_end_ns)
    end = *event.utc_start_ns + (*event.monotonic_end_ns - *event.monotonic_start_ns);
  if (!end || *end < *event.utc_start_ns) return std::nullopt;
  return Interval{*event.utc_start_ns, *end};
}

LedgerSummary summarize(const std::vector<LedgerEvent>& events) {
  LedgerSummary summary;
  const auto placed = place_all(events);
  std::vector<Interval> all;
  std::vector<Interval> pauses;
  for (const Placed& one : placed) {
    ++summary.events;
    summary.own_ns[one.event->event] = one.own ? std::optional(length(*one.own)) : std::nullopt;
    if (!one.place) {
      ++summary.unknown_events;
      continue;
    }
    all.push_back(*one.place);
    if (one.event->category == "pause") pauses.push_back(*one.place);
  }
  const IntervalSet covered = unite(std::move(all));
  const IntervalSet paused = unite(std::move(pauses));
  if (const auto wall = wall_clock(placed)) {
    summary.wall_clock_ns = wall->end - wall->start;
    summary.unattributed_ns = length(subtract(unite({*wall}), covered));
    summary.active_ns = length(subtract(covered, paused));
  }
  summary.by_category = shares(placed, &LedgerEvent::category);
  summary.by_actor = shares(placed, &LedgerEvent::actor);
  summary.by_command = shares(placed, &LedgerEvent::command);
  if (const auto pause = summary.by_category.find("pause"); pause != summary.by_category.end())
    summary.pause_ns = pause->second.union_ns;
  return summary;
}

}  // namespace profdb::serving
