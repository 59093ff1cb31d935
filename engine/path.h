// A lookup path: one section of the contract as a description (regime fields, axes, axis groups) and two
// extractors, row -> candidate and leaf -> target, that live side by side.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "engine/mapping.h"
#include "engine/row.h"
#include "engine/tensor.h"
#include "profdb/engine.h"
#include "profdb/leaf_op.h"
#include "profdb/result.h"

namespace profdb {

// How a regime field of the target is compared with the regimes that were measured.
enum class Match {
  exact,        // must be equal
  open,         // contract, "Open fields": the stated value, else what states nothing; silent likewise
  format_open,  // formats of several slots, joined by ";": each slot open, never pooled
  column,  // equal, or kNoColumn where the row's file lacks the column: the path's own steps decide (§13)
  format_group,  // formats of several slots: each stated one must match, the rest are groups tried in turn
                 // (§3)
};

struct RegimeField {
  std::string_view name;  // the column of <path>_regime
  bool is_text = true;
  Match match = Match::exact;
  std::string_view unspecified_reason = {};  // of open fields: several values and a silent target
};

// What in a mapping entry leads to a path (contract §1).
enum class Selector { ordinary, query_mode, compute_subcategory, category };

// Whether the base exact match (§2) answers for a path.
enum class BaseExact {
  never,
  always,          // exactness is §2's alone (§3, §12)
  without_output,  // §7: only for calls without a non-scalar output
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
  bool ambiguity_closes_coordinate = false;  // §6, §8, §9, §11: duplicates that differ by more than 10 %
  bool ambiguity_closes_regime = false;      // §8, §9: such a regime is not interpolated at all
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

// What a row is to a path.
struct Candidate {
  std::vector<FieldValue> regime;        // along PathSpec::fields
  std::vector<std::int64_t> coordinate;  // along PathSpec::axes; kNoAxis where the row lacks the axis
};

// What a call asks of a path.
struct Target {
  std::vector<FieldValue> regime;        // along PathSpec::fields; an open field that is silent: absent value
  std::vector<std::int64_t> coordinate;  // along PathSpec::axes
  NamedValues path_fields;               // what the result adds
};

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

// One call on one of the kernels that it may run as.
struct Call {
  const LeafOp& leaf;
  const OpMapping& op;
  const std::string& kernel;
  const std::string& axis_policy;  // of the projection
  const EngineOptions& options;
  bool assumes_formats = false;  // PathSpec::assumes_formats
  // That the kernel's rows have in this projection; SwiGlu asks. May be null: none.
  const std::vector<std::int64_t>* row_input_counts = nullptr;
  // The call's signature (§2) where it has been made already.
  const std::vector<TensorSlot>* signature = nullptr;
};

class SearchSteps;

class Path {
 public:
  virtual ~Path() = default;
  virtual const PathSpec& spec() const = 0;
  // The row as a candidate, or why it is none. Latency is not the path's business.
  virtual std::variant<Candidate, Unfit> project(const Row& row, const ProjectionKey& key) const = 0;
  // The call as a target on call.kernel, or why it is none.
  virtual std::variant<Target, Unfit> target(const Call& call) const = 0;
  // How a call is answered (engine/search.h); the specialised paths' common steps unless a path has its own.
  virtual const SearchSteps& steps() const;
};

// All paths of this build, and one by name (nullptr where there is none).
const std::vector<const Path*>& all_paths();
const Path* find_path(std::string_view name);

}  // namespace profdb
