// Replaying workloads.
#include "analysis/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

namespace profdb::analysis {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::array<const char*, 4> kBy = {"source", "path", "dim", "reason"};

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorKind::input, message);
}

const json& required(const json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end()) fail(fmt::format("{} is missing", key));
  return *it;
}

void check_keys(const json& object) {
  static const std::set<std::string> known = {"workload_id", "critical", "count", "leaf"};
  for (const auto& [key, value] : object.items())
    if (!known.contains(key))
      fail(fmt::format("unknown field '{}'; a line has {}", key, fmt::join(known, ", ")));
}

LeafOp read_leaf(const json& value) {
  try {
    return leaf_op_from_json(value);
  } catch (const Error& e) {
    fail(fmt::format("leaf: {}", e.what()));
  }
}

// Counts the calls of one workload, or of all.
class Tally {
 public:
  void add(const ReplayCall& call, const LeafDigest& digest, const Result& result) {
    all_.add(call.count, digest);
    if (call.critical) critical_ += call.count;
    if (call.critical && result.source != Source::measured) critical_not_measured_ += call.count;
    part(0, to_string(result.source)).add(call.count, digest);
    part(1, result.path.empty() ? "(none)" : result.path).add(call.count, digest);
    if (result.source == Source::interpolated) part(2, std::to_string(result.dim)).add(call.count, digest);
    if (!result.hit()) part(3, result.reason).add(call.count, digest);
  }

  WorkloadTally finish(std::string workload_id) const {
    WorkloadTally tally;
    tally.workload_id = std::move(workload_id);
    tally.calls = all_.calls;
    tally.distinct_calls = all_.distinct();
    tally.critical_calls = critical_;
    tally.critical_not_measured = critical_not_measured_;
    for (std::size_t by = 0; by < kBy.size(); ++by) {
      const auto first = tally.shares.size();
      for (const auto& [value, part] : parts_.at(by))
        tally.shares.push_back({kBy.at(by), value, part.calls, part.distinct(),
                                static_cast<double>(part.calls) / static_cast<double>(all_.calls)});
      std::stable_sort(tally.shares.begin() + static_cast<std::ptrdiff_t>(first), tally.shares.end(),
                       [](const ReplayShare& a, const ReplayShare& b) { return a.calls > b.calls; });
    }
    return tally;
  }

 private:
  struct Part {
    std::int64_t calls = 0;
    std::set<LeafDigest> leaves;
    void add(std::int64_t count, const LeafDigest& digest) {
      calls += count;
      leaves.insert(digest);
    }
    std::int64_t distinct() const { return static_cast<std::int64_t>(leaves.size()); }
  };
  Part& part(std::size_t by, const std::string& value) { return parts_.at(by)[value]; }

  Part all_;
  std::int64_t critical_ = 0;
  std::int64_t critical_not_measured_ = 0;
  std::array<std::map<std::string, Part>, kBy.size()> parts_;
};

class Replay {
 public:
  void add(std::int64_t line, const ReplayCall& call, const LeafDigest& digest, const Result& result) {
    total_.add(call, digest, result);
    const auto [it, is_new] = index_.try_emplace(call.workload_id, workloads_.size());
    if (is_new) workloads_.emplace_back(call.workload_id, Tally());
    workloads_[it->second].second.add(call, digest, result);
    if (call.critical && result.source != Source::measured) note_critical(line, call, digest, result);
  }

  ReplayReport finish() && {
    ReplayReport report;
    report.total = total_.finish("");
    for (const auto& [workload_id, tally] : workloads_) report.workloads.push_back(tally.finish(workload_id));
    report.critical_not_measured = std::move(critical_);
    return report;
  }

 private:
  void note_critical(std::int64_t line, const ReplayCall& call, const LeafDigest& digest,
                     const Result& result) {
    const auto [it, is_new] = critical_index_.try_emplace({call.workload_id, digest}, critical_.size());
    if (is_new)
      critical_.push_back({call.workload_id, line, 0, call.leaf.op, to_string(result.source),
                           result.hit() ? result.method : result.reason, result.axes, to_json(call.leaf)});
    critical_[it->second].calls += call.count;
  }

  Tally total_;
  std::vector<std::pair<std::string, Tally>> workloads_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<CriticalCall> critical_;
  std::map<std::pair<std::string, LeafDigest>, std::size_t> critical_index_;
};

}  // namespace

ReplayCall parse_replay_call(std::string_view json_text) {
  const json object = json::parse(json_text, nullptr, false);
  if (!object.is_object())
    fail(
        "the line is no JSON object; write {\"workload_id\": …, \"critical\": …, \"count\": …, \"leaf\": "
        "{…}}");
  check_keys(object);
  ReplayCall call;
  const json& id = required(object, "workload_id");
  if (!id.is_string() || id.get_ref<const std::string&>().empty())
    fail("workload_id is no text; write a name for the workload");
  call.workload_id = id.get<std::string>();
  if (const auto it = object.find("critical"); it != object.end()) {
    if (!it->is_boolean()) fail("critical is neither true nor false");
    call.critical = it->get<bool>();
  }
  if (const auto it = object.find("count"); it != object.end()) {
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    if (!it->is_number_integer() || it->get<double>() < 1 || it->get<double>() > static_cast<double>(kMost))
      fail("count is no whole number from 1 to 2^40");
    call.count = it->get<std::int64_t>();
  }
  call.leaf = read_leaf(required(object, "leaf"));
  return call;
}

ReplayReport replay(const Engine& engine, std::istream& workload, const std::string& name,
                    const ReplayObserver& observe) {
  Replay counts;
  std::string line;
  std::int64_t number = 0;
  while (std::getline(workload, line)) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::optional<ReplayCall> call;
    try {
      call = parse_replay_call(line);
    } catch (const Error& e) {
      throw Error(e.kind(), fmt::format("{}:{}: {}", name, number, e.what()));
    }
    const PreparedLeaf leaf(call->leaf);
    const ResultPtr result = engine.lookup(leaf);
    counts.add(number, *call, leaf.digest(), *result);
    if (observe) observe(number, *call, *result);
  }
  if (workload.bad()) throw Error(ErrorKind::input, fmt::format("{}: cannot be read", name));
  return std::move(counts).finish();
}

ordered_json to_json(const WorkloadTally& tally) {
  ordered_json json{{"workload_id", tally.workload_id},
                    {"calls", tally.calls},
                    {"distinct_calls", tally.distinct_calls},
                    {"critical_calls", tally.critical_calls},
                    {"critical_not_measured", tally.critical_not_measured},
                    {"shares", ordered_json::array()}};
  for (const ReplayShare& share : tally.shares)
    json["shares"].push_back({{"by", share.by},
                              {"value", share.value},
                              {"calls", share.calls},
                              {"distinct_calls", share.distinct_calls},
                              {"share", share.share}});
  return json;
}

ordered_json to_json(const CriticalCall& call) {
  return {{"workload_id", call.workload_id}, {"line", call.line}, {"calls", call.calls}, {"op", call.op},
          {"source", call.source},           {"how", call.how},   {"axes", call.axes},   {"leaf", call.leaf}};
}

ordered_json to_json(const ReplayReport& report) {
  ordered_json json{{"total", to_json(report.total)},
                    {"workloads", ordered_json::array()},
                    {"critical_not_measured", ordered_json::array()}};
  for (const WorkloadTally& tally : report.workloads) json["workloads"].push_back(to_json(tally));
  for (const CriticalCall& call : report.critical_not_measured)
    json["critical_not_measured"].push_back(to_json(call));
  return json;
}

}  // namespace profdb::analysis
