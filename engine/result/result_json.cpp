// The members of a result: the answer first, its evidence under the contract's names in `details`.
#include "engine/result/result_json.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/json/json_text.h"

namespace profdb {
namespace {

// The members of one object. What is added is left out where there is nothing to say.
template <typename Json>
class Members {
 public:
  // `names`, where given, gets the name of every member that is written.
  explicit Members(Json& json, std::vector<std::string_view>* names = nullptr) : json_(json), names_(names) {
    json_.begin_object();
  }
  void end() { json_.end_object(); }

  // For the value that the caller writes next.
  Json& at(std::string_view key) {
    if (names_ != nullptr) names_->push_back(key);
    json_.literal_key(key);
    return json_;
  }
  void put(std::string_view key, std::string_view text) { at(key).value(text); }
  void add(std::string_view key, std::string_view text) {
    if (!text.empty()) put(key, text);
  }
  void add_count(std::string_view key, std::size_t count) {
    if (count > 0) at(key).value(std::uint64_t{count});
  }
  template <typename Items, typename Write>
  void add_items(std::string_view key, const Items& items, Write write) {
    if (!items.empty()) write(at(key), items);
  }

 private:
  Json& json_;
  std::vector<std::string_view>* names_;
};

template <typename Json, typename Items, typename Write>
void write_array(Json& json, const Items& items, Write write) {
  json.begin_array();
  for (const auto& item : items) write(json, item);
  json.end_array();
}

const std::string& name_of(const Boundary& boundary) {
  return boundary.axis;
}
template <typename Value>
const std::string& name_of(const std::pair<std::string, Value>& pair) {
  return pair.first;
}
template <typename Value>
const std::string& name_of(const std::pair<const std::string, Value>& pair) {
  return pair.first;
}

// Quick, and only ever wrong about names that differ.
template <typename Items>
bool surely_differ(const Items& items) {
  std::uint64_t seen = 0;
  for (const auto& item : items) {
    const std::string& name = name_of(item);
    const int ends = name.empty() ? 0 : 5 * name.back() + name.front();
    const std::uint64_t bit = std::uint64_t{1} << ((37 * name.size() + static_cast<std::size_t>(ends)) % 64);
    if ((seen & bit) != 0) return false;
    seen |= bit;
  }
  return true;
}

// An object whose keys are the items' names. A name that stands twice is one member: at its first place, with
// its last value.
template <typename Json, typename Items, typename Write>
void write_named(Json& json, const Items& items, Write write) {
  const bool differ = surely_differ(items);
  json.begin_object();
  for (auto it = items.begin(); it != items.end(); ++it) {
    auto last = it;
    if (!differ) {
      const auto same = [&](const auto& other) { return name_of(other) == name_of(*it); };
      if (std::any_of(items.begin(), it, same)) continue;
      for (auto next = std::next(it); next != items.end(); ++next)
        if (same(*next)) last = next;
    }
    json.key(name_of(*it));
    write(json, *last);
  }
  json.end_object();
}

struct WriteValue {
  template <typename Json>
  void operator()(Json& json, const FieldValue& value) const {
    if (const auto* number = std::get_if<std::int64_t>(&value))
      json.value(*number);
    else
      json.value(std::string_view(*std::get_if<std::string>(&value)));
  }
  template <typename Json>
  void operator()(Json& json, const std::string& text) const {
    json.value(std::string_view(text));
  }
  template <typename Json>
  void operator()(Json& json, std::int64_t number) const {
    json.value(number);
  }
};

// Axis values are whole numbers, unless an axis is transformed.
template <typename Json>
void write_axis_value(Json& json, double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (std::trunc(value) == value && std::abs(value) <= kExact)
    json.value(static_cast<std::int64_t>(value));
  else
    json.value(value);
}

constexpr auto kWriteTexts = [](auto& json, const auto& texts) { write_array(json, texts, WriteValue{}); };

constexpr auto kWritePairs = [](auto& json, const auto& pairs) {
  write_named(json, pairs, [](auto& out, const auto& pair) { WriteValue{}(out, pair.second); });
};

constexpr auto kWriteBoundary = [](auto& json, const std::vector<Boundary>& boundary) {
  write_named(json, boundary, [](auto& out, const Boundary& b) {
    out.begin_array();
    write_axis_value(out, b.low);
    write_axis_value(out, b.high);
    out.end_array();
  });
};

constexpr auto kWriteMatchedRow = [](auto& json, const MatchedRow& row) {
  Members object(json);
  write_array(object.at("measurement_ids"), row.measurement_ids, WriteValue{});
  if (row.row_count > 1) {
    object.add_count("row_count", row.row_count);
    object.at("spread").value(row.spread);
  }
  object.add_items("coordinate", row.coordinate, kWritePairs);
  object.at("latency_us").value(row.latency_us);
  if (row.weight) object.at("weight").value(*row.weight);
  object.end();
};

constexpr auto kWriteAttempt = [](auto& json, const Attempt& attempt) {
  Members object(json);
  object.add("kernel", attempt.kernel);
  object.put("reason", attempt.reason);
  object.add_items("axes", attempt.axes, kWriteTexts);
  object.add("input_formats", attempt.input_formats);
  object.add("source_class", attempt.source_class);
  object.add_count("candidate_count", attempt.candidate_count);
  object.add_count("coordinate_count", attempt.coordinate_count);
  object.add_items("measured", attempt.measured, kWriteBoundary);
  object.add("message", attempt.message);
  object.end();
};

constexpr auto kWriteDifference = [](auto& json, const ClosestRegime::Difference& difference) {
  Members object(json);
  object.put("field", difference.field);
  WriteValue{}(object.at("target"), difference.target);
  WriteValue{}(object.at("measured"), difference.measured);
  object.end();
};

constexpr auto kWriteClosestRegime = [](auto& json, const ClosestRegime& closest) {
  Members object(json);
  object.put("kernel", closest.kernel);
  object.at("row_count").value(closest.row_count);
  write_array(object.at("differences"), closest.differences, kWriteDifference);
  object.end();
};

constexpr auto kWriteKernel = [](auto& json, const std::pair<std::string, std::string>& attempted) {
  Members object(json);
  object.put("kernel", attempted.first);
  object.put("reason", attempted.second);
  object.end();
};

template <typename Json>
void write_prior(Json& json, double latency_us) {
  Members object(json);
  object.at("latency_us").value(latency_us);
  object.end();
}

// A path's own fields come last, and without replacing: none ever hides a member of the contract's names.
template <typename Json>
void write_path_fields(Json& json, const NamedValues& fields, std::vector<std::string_view>& taken) {
  for (const auto& [name, value] : fields) {
    if (std::find(taken.begin(), taken.end(), name) != taken.end()) continue;
    taken.push_back(name);
    json.key(name);
    WriteValue{}(json, value);
  }
}

template <typename Json>
void write_details(Json& json, const Details& details) {
  std::vector<std::string_view> names;
  Members object(json, details.path_fields.empty() ? nullptr : &names);
  object.add("query_mode", details.query_mode);
  object.add("compute_subcategory", details.compute_subcategory);
  object.add("note", details.note);
  object.add_items("target_axes", details.target_axes, kWritePairs);
  object.add_items("target_regime", details.target_regime, kWritePairs);
  object.add_items("regime", details.regime, kWritePairs);
  object.add_items("boundary", details.boundary, kWriteBoundary);
  object.add_count("candidate_count", details.candidate_count);
  object.add_items("matched_rows", details.matched_rows,
                   [](auto& out, const auto& rows) { write_array(out, rows, kWriteMatchedRow); });
  object.add("latency_column", details.latency_column);
  object.add("source_class", details.source_class);
  object.add("fallback_from", details.fallback_from);
  object.add_items("kernels_attempted", details.kernels_attempted,
                   [](auto& out, const auto& kernels) { write_array(out, kernels, kWriteKernel); });
  object.add_items("rejected_rows", details.rejected_rows, kWritePairs);
  if (details.closest_regime) kWriteClosestRegime(object.at("closest_regime"), *details.closest_regime);
  object.add_items("attempts", details.attempts,
                   [](auto& out, const auto& attempts) { write_array(out, attempts, kWriteAttempt); });
  if (details.prior_latency_us) write_prior(object.at("prior"), *details.prior_latency_us);
  write_path_fields(json, details.path_fields, names);
  object.end();
}

template <typename Json>
void write(Json& json, const Result& result) {
  Members object(json);
  object.put("source", to_string(result.source));
  if (result.hit()) {
    object.at("latency_us").value(result.latency_us);
    object.at("confidence").value(result.confidence);
    object.add("kernel", result.kernel);
    object.add("path", result.path);
    object.add("method", result.method);
    if (result.dim > 0) object.at("dim").value(std::int64_t{result.dim});
    object.add_items("axes", result.axes, kWriteTexts);
    object.add("match_rule", result.match_rule);
  } else {
    object.put("reason", result.reason);
    object.add("path", result.path);
  }
  object.at("release").value(result.release);
  write_details(object.at("details"), result.details);
  object.end();
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

nlohmann::ordered_json to_json(const Result& result) {
  JsonValue json;
  write(json, result);
  return json.take();
}

std::string to_json_text(const Result& result) {
  std::string text;
  append_json(text, result);
  return text;
}

void append_json(std::string& out, const Result& result) {
  JsonText json(out);
  write(json, result);
  json.finish();
}

void append_json(std::string& out, const NamedValues& fields) {
  JsonText json(out);
  kWritePairs(json, fields);
  json.finish();
}

void append_json(std::string& out, const std::vector<std::string>& axes) {
  JsonText json(out);
  kWriteTexts(json, axes);
  json.finish();
}

}  // namespace profdb
