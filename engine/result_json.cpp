// A result as JSON (formats §5): the answer first, its evidence under the contract's names in `details`.
#include <cmath>

#include "profdb/result.h"

namespace profdb {
namespace {

using nlohmann::ordered_json;

// Adds a member unless there is nothing to say.
void add(ordered_json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}
void add(ordered_json& object, const char* key, ordered_json value) {
  if (!value.empty()) object[key] = std::move(value);
}
void add_count(ordered_json& object, const char* key, std::size_t count) {
  if (count > 0) object[key] = count;
}

ordered_json to_value(const FieldValue& value) {
  return std::visit([](const auto& v) { return ordered_json(v); }, value);
}

template <typename Pairs>
ordered_json object_of(const Pairs& pairs) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

ordered_json fields_json(const NamedValues& fields) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, value] : fields) object[name] = to_value(value);
  return object;
}

// Axis values are whole numbers, unless an axis is transformed.
ordered_json axis_value(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (std::trunc(value) == value && std::abs(value) <= kExact) return static_cast<std::int64_t>(value);
  return value;
}

ordered_json boundary_json(const std::vector<Boundary>& boundary) {
  ordered_json object = ordered_json::object();
  for (const Boundary& b : boundary)
    object[b.axis] = ordered_json::array({axis_value(b.low), axis_value(b.high)});
  return object;
}

ordered_json matched_row_json(const MatchedRow& row) {
  ordered_json object = ordered_json::object();
  object["measurement_ids"] = row.measurement_ids;
  if (row.row_count > 1) {
    object["row_count"] = row.row_count;
    object["spread"] = row.spread;
  }
  add(object, "coordinate", object_of(row.coordinate));
  object["latency_us"] = row.latency_us;
  if (row.weight) object["weight"] = *row.weight;
  return object;
}

ordered_json attempt_json(const Attempt& attempt) {
  ordered_json object = ordered_json::object();
  add(object, "kernel", attempt.kernel);
  add(object, "reason", attempt.reason);
  add(object, "axes", ordered_json(attempt.axes));
  add(object, "input_formats", attempt.input_formats);
  add(object, "source_class", attempt.source_class);
  add_count(object, "candidate_count", attempt.candidate_count);
  add_count(object, "coordinate_count", attempt.coordinate_count);
  add(object, "measured", boundary_json(attempt.measured));
  add(object, "message", attempt.message);
  return object;
}

ordered_json closest_regime_json(const ClosestRegime& closest) {
  ordered_json differences = ordered_json::array();
  for (const auto& difference : closest.differences)
    differences.push_back({{"field", difference.field},
                           {"target", to_value(difference.target)},
                           {"measured", to_value(difference.measured)}});
  return {
      {"kernel", closest.kernel}, {"row_count", closest.row_count}, {"differences", std::move(differences)}};
}

ordered_json kernels_json(const std::vector<std::pair<std::string, std::string>>& kernels) {
  ordered_json list = ordered_json::array();
  for (const auto& [kernel, reason] : kernels) list.push_back({{"kernel", kernel}, {"reason", reason}});
  return list;
}

template <typename Items, typename Convert>
ordered_json array_of(const Items& items, Convert convert) {
  ordered_json list = ordered_json::array();
  for (const auto& item : items) list.push_back(convert(item));
  return list;
}

ordered_json details_json(const Details& details) {
  ordered_json object = ordered_json::object();
  add(object, "query_mode", details.query_mode);
  add(object, "compute_subcategory", details.compute_subcategory);
  add(object, "note", details.note);
  add(object, "target_axes", object_of(details.target_axes));
  add(object, "target_regime", fields_json(details.target_regime));
  add(object, "regime", fields_json(details.regime));
  add(object, "boundary", boundary_json(details.boundary));
  add_count(object, "candidate_count", details.candidate_count);
  add(object, "matched_rows", array_of(details.matched_rows, matched_row_json));
  add(object, "latency_column", details.latency_column);
  add(object, "source_class", details.source_class);
  add(object, "fallback_from", details.fallback_from);
  add(object, "kernels_attempted", kernels_json(details.kernels_attempted));
  add(object, "rejected_rows", object_of(details.rejected_rows));
  if (details.closest_regime) object["closest_regime"] = closest_regime_json(*details.closest_regime);
  add(object, "attempts", array_of(details.attempts, attempt_json));
  if (details.prior_latency_us) object["prior"] = {{"latency_us", *details.prior_latency_us}};
  // Last, and without replacing: a path's own field never hides one of the names above.
  for (const auto& [name, value] : details.path_fields) object.emplace(name, to_value(value));
  return object;
}

}  // namespace

const char* to_string(Source source) {
  switch (source) {
    case Source::measured:
      return "MEASURED";
    case Source::interpolated:
      return "INTERPOLATED";
    case Source::compatible:
      return "COMPATIBLE";
    case Source::miss:
      break;
  }
  return "MISS";
}

ordered_json to_json(const Result& result) {
  ordered_json object = ordered_json::object();
  object["source"] = to_string(result.source);
  if (result.hit()) {
    object["latency_us"] = result.latency_us;
    object["confidence"] = result.confidence;
    add(object, "kernel", result.kernel);
    add(object, "path", result.path);
    add(object, "method", result.method);
    if (result.dim > 0) object["dim"] = result.dim;
    add(object, "axes", ordered_json(result.axes));
    add(object, "match_rule", result.match_rule);
  } else {
    object["reason"] = result.reason;
    add(object, "path", result.path);
  }
  object["release"] = result.release;
  object["details"] = details_json(result.details);
  return object;
}

}  // namespace profdb
