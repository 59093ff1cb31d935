// A lookup path: one section of the contract as a description (store/path_spec.h) and two extractors,
// row -> candidate and leaf -> target, that live side by side in one file of engine/paths/.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/leaf/tensor.h"
#include "engine/store/mapping.h"
#include "engine/store/path_spec.h"
#include "engine/store/row.h"
#include "profdb/engine.h"
#include "profdb/leaf_op.h"
#include "profdb/result.h"

namespace profdb {

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
  // The call's signature (contract §2) where it has been made already.
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
  // How a call is answered (engine/lookup/search.h); the specialised paths' common steps unless a path has
  // its own.
  virtual const SearchSteps& steps() const;
};

}  // namespace profdb
