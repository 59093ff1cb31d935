// What makes a lookup path, apart from its extractors: the columns of its regime and candidate tables, its
// axes and axis groups, and the rules that its data follows.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace profdb {

struct PathSpec;

namespace store {

struct PathSql;

// The statements of one description, made when path_sql() first asks for them. Connections know prepared
// statements by where this text is, so a description must outlive every connection that was asked by it, and
// is not copied.
class PathSqlSlot {
 public:
  PathSqlSlot() = default;
  PathSqlSlot(const PathSqlSlot&) = delete;
  PathSqlSlot& operator=(const PathSqlSlot&) = delete;
  ~PathSqlSlot();

 private:
  friend const PathSql& path_sql(const PathSpec& spec);
  mutable std::atomic<const PathSql*> made_{nullptr};
};

}  // namespace store

// How a regime field of the target is compared with the regimes that were measured.
enum class Match {
  exact,        // must be equal
  open,         // contract, "Open fields": the stated value, else what states nothing; silent likewise
  format_open,  // formats of several slots, joined by ";": each slot open, never pooled
  column,  // equal, or kNoColumn where the row's file lacks the column: the path's own steps decide (contract
           // §13)
  format_group,  // formats of several slots: each stated one must match, the rest are groups tried in turn
                 // (contract §3)
};

struct RegimeField {
  std::string_view name;  // the column of <path>_regime
  bool is_text = true;
  Match match = Match::exact;
  std::string_view unspecified_reason = {};  // of open fields: several values and a silent target
};

// What in a mapping entry leads to a path (contract §1).
enum class Selector { ordinary, query_mode, compute_subcategory, category };

// Whether the base exact match (contract §2) answers for a path.
enum class BaseExact {
  never,
  always,          // exactness is contract §2's alone (contract §3, §12)
  without_output,  // contract §7: only for calls without a non-scalar output
};

using AxisGroup = std::vector<std::size_t>;  // indices into PathSpec::axes

// What makes a path, apart from its extractors. Column names are the axis names in lower case.
struct PathSpec {
  std::string_view name;
  std::vector<RegimeField> fields;
  std::vector<std::string_view> axes;
  std::vector<AxisGroup> groups;           // in the order in which they are tried
  Selector selector = Selector::ordinary;  // query_mode and compute_subcategory are named like the path
  bool tc_input_count = false;             // whether tc_input_count cuts the inputs (formats §3)
  bool assumes_formats = false;            // whether expected_input_formats counts (formats §3)
  BaseExact base_exact = BaseExact::never;
  bool ambiguity_closes_coordinate =
      false;  // contract §6, §8, §9, §11: duplicates that differ by more than 10 %
  bool ambiguity_closes_regime = false;  // contract §8, §9: such a regime is not interpolated at all

  store::PathSqlSlot sql = {};  // path_sql()'s alone
};

// Why a row or a call does not fit a path. `reason` is one of the contract's words (a string literal).
struct Unfit {
  std::string_view reason;
  std::string detail = {};  // what exactly, for people
};

// A coordinate that a row or call does not have (elementwise axis_1 of a rank-3 output).
inline constexpr std::int64_t kNoAxis = -1;
// What an absent open field is stored as.
inline constexpr std::int64_t kAbsentInteger = -1;
inline const std::string kAbsentText;
// A regime field of a row whose file lacks the column (Match::column).
inline constexpr std::string_view kNoColumn = "(no column)";

// How the rows of a kernel are projected: part of the identity of their regimes.
struct ProjectionKey {
  std::string path;
  std::string kernel;
  std::int64_t tc_input_count = kAbsentInteger;  // absent: all inputs
  std::string axis_policy;                       // "axis_0", "output_numel", or empty

  bool operator==(const ProjectionKey&) const = default;
  bool operator<(const ProjectionKey& other) const {
    return std::tie(path, kernel, tc_input_count, axis_policy) <
           std::tie(other.path, other.kernel, other.tc_input_count, other.axis_policy);
  }
};

}  // namespace profdb
