// What a caller gets: a latency with its reason, or a miss with its own (formats §5, contract §14).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace profdb {

// MEASURED, INTERPOLATED, COMPATIBLE or MISS (contract §1). EXTRAPOLATED is reserved and never produced.
enum class Source { measured, interpolated, compatible, miss };

// "MEASURED" and so on.
const char* to_string(Source source);

// A regime field's value: a whole number or text.
using FieldValue = std::variant<std::int64_t, std::string>;
using NamedValues = std::vector<std::pair<std::string, FieldValue>>;

// The measured interval of one axis around the target.
struct Boundary {
  std::string axis;
  double low = 0;
  double high = 0;
};

// A measurement that took part in an answer.
struct MatchedRow {
  std::vector<std::int64_t> measurement_ids;  // one, or the first of the duplicates whose median counts
  std::size_t row_count = 1;                  // measurements behind latency_us
  double spread = 0;                          // (max - min) / median of them
  std::vector<std::pair<std::string, std::int64_t>> coordinate;  // by axis; empty for a base exact match
  double latency_us = 0;
  std::optional<double> weight;  // in an interpolation
};

// One attempt to interpolate, or the reason why a kernel had none.
struct Attempt {
  std::string kernel;
  std::string_view reason;           // why it gave nothing; "answered" for the one that did. A literal
  std::vector<std::string> axes;     // of the group; empty where no group was reached
  std::string input_formats;         // of the format group, where the path has them
  std::string source_class;          // "selected" or "fallback"; empty where none was reached
  std::size_t candidate_count = 0;   // rows on the line, plane or space of the attempt
  std::size_t coordinate_count = 0;  // distinct coordinates among them
  std::vector<Boundary> measured;    // the measured range per axis of the group
  std::string message;               // Qhull's words, or a field's name
};

// The regime nearest to the target's where none is equal.
struct ClosestRegime {
  struct Difference {
    std::string field;
    FieldValue target;
    FieldValue measured;
  };
  std::string kernel;
  std::vector<Difference> differences;
  std::int64_t row_count = 0;
};

// The answer's or the miss's whole evidence; names as in contract §14.
struct Details {
  std::string query_mode;           // of the mapping, where it has one
  std::string compute_subcategory;  // likewise
  std::string note;                 // why latency 0 is right, for zero_cost and accepted_miss
  std::vector<std::pair<std::string, std::int64_t>> target_axes;
  NamedValues
      target_regime;   // of a miss: what the target asked for; an open field without a value is left out
  NamedValues regime;  // of a hit: the regime that answered
  std::vector<Boundary> boundary;
  std::size_t candidate_count = 0;
  std::vector<MatchedRow> matched_rows;
  std::string latency_column;
  std::string source_class;                                            // "selected" or "fallback"
  std::string fallback_from;                                           // "exact_miss" or "partial"
  std::vector<std::pair<std::string, std::string>> kernels_attempted;  // kernel, reason
  std::map<std::string, std::int64_t> rejected_rows;                   // by reason
  std::optional<ClosestRegime> closest_regime;
  std::vector<Attempt> attempts;
  NamedValues path_fields;  // what a path adds: ep_size, scale_modes, quant_subtype, api_path, ...
  std::optional<double> prior_latency_us;
};

// One lookup's outcome. A value: it owns everything in it and may be kept, copied and sent between threads.
struct Result {
  Source source = Source::miss;
  std::string reason;     // of a miss; never empty there
  double latency_us = 0;  // microseconds; meaningless in a miss
  double confidence = 0;  // for display only (contract §1)
  std::string kernel;
  std::string path;
  std::string method;  // linear_1d, griddata_linear, exact_coordinate, base_exact, alpha_beta, ...
  int dim = 0;         // of an interpolation
  std::vector<std::string> axes;
  std::string match_rule;
  std::int64_t release = 0;
  Details details;

  bool hit() const { return source != Source::miss; }
};

// How the engine hands out results: immutable and shared, so that a repeated answer is not copied.
using ResultPtr = std::shared_ptr<const Result>;

// The result as JSON (formats §5). Doubles are written so that reading them back gives the same double.
nlohmann::ordered_json to_json(const Result& result);
// The same as text on one line, with bytes that are not UTF-8 replaced; far cheaper than the value.
std::string to_json_text(const Result& result);

}  // namespace profdb
