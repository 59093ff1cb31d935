// What is known of a release before a call comes: its mapping, its projections, and how each of its operators
// is answered. Loaded by release/, immutable afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/candidates/projection.h"
#include "engine/lookup/path.h"
#include "engine/store/mapping.h"
#include "engine/store/path_spec.h"
#include "profdb/engine.h"

namespace profdb {

// How an operator is answered on one of its kernels: all that does not depend on the call.
struct KernelPlan {
  std::string kernel;
  bool is_in_release = false;                    // with at least one file
  const Projection* projection = nullptr;        // nullptr: the release has no data for the kernel
  const Projection* exact_projection = nullptr;  // of the base exact match, where the path uses it
  ProjectionKey key;                             // of `projection`, whether or not there is one
  ProjectionKey exact_key;  // of `exact_projection`; empty where the path does not use it
  std::int64_t max_interpolation_dim = 0;
  bool takes_sqrt_seq = false;  // axis_transform of contract §13
  // The selected latency column, where all files of the kernel have the same; else empty.
  std::string selected_column;
};

struct OperatorPlan {
  const OpMapping* op = nullptr;
  std::variant<const Path*, Unfit> selected;  // select_path()
  std::vector<KernelPlan> kernels;            // along OpMapping::kernels; empty where no path is selected
};

// Immutable once loaded; belongs to one generation of the database.
struct ReleaseState {
  ReleaseState() = default;
  ReleaseState(const ReleaseState&) = delete;
  ReleaseState& operator=(const ReleaseState&) = delete;

  std::int64_t generation = 0;
  ReleaseInfo info;
  Mapping mapping;
  std::map<std::string, std::string> kernels;  // with at least one file; and KernelPlan::selected_column
  std::map<ProjectionKey, Projection> projections;
  std::unordered_map<std::string, OperatorPlan> operators;  // by name; into the members above

  const Projection* projection(const ProjectionKey& key) const;
};

}  // namespace profdb
