// What the engine keeps of a release between lookups: its mapping and its projections.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/dispatch.h"
#include "engine/mapping.h"
#include "engine/store/database.h"
#include "profdb/engine.h"

namespace profdb {

struct Projection {
  std::int64_t projection_id = 0;
  std::int64_t candidate_count = 0;  // rows that fit the path and have a usable latency
  std::map<std::string, std::int64_t>
      rejected_rows;  // rows that do not fit, or have no usable latency, by reason
  // Of a base exact projection: the classes of its rows (schema: base_exact_signature).
  struct Signatures {
    std::int64_t signature_id = 0;
    std::int64_t input_count = 0;
    std::string input_dtypes;
    mutable std::atomic<int> asked{
        0};  // lookups, since its rows were last taken into memory (CandidateSource)

    Signatures(std::int64_t id, std::int64_t count, std::string dtypes)
        : signature_id(id), input_count(count), input_dtypes(std::move(dtypes)) {}
  };
  std::deque<Signatures> signatures;
  std::vector<std::int64_t> input_counts;  // that occur among them

  // nullptr where no row has that class.
  const Signatures* signature(std::int64_t input_count, const std::string& input_dtypes) const;
};

// How an operator is answered on one of its kernels: all that does not depend on the call.
struct KernelPlan {
  std::string kernel;
  bool is_in_release = false;                    // with at least one file
  const Projection* projection = nullptr;        // nullptr: the release has no data for the kernel
  const Projection* exact_projection = nullptr;  // of the base exact match, where the path uses it
  std::string axis_policy;
  std::int64_t max_interpolation_dim = 0;
  bool takes_sqrt_seq = false;  // axis_transform of §13
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

// Reads a release whole, within the caller's read transaction. `selector` as EngineOptions::release. Throws
// Error(usage) that lists the releases where it names none, or does not decide.
std::shared_ptr<const ReleaseState> load_release(store::Connection& connection, const std::string& selector);

// The number that every import, replacement and re-projection raises.
std::int64_t read_generation(store::Connection& connection);

std::vector<ReleaseInfo> list_releases(store::Connection& connection);

// "DEVICE/FRAMEWORK/VERSION"
std::string release_name(const ReleaseInfo& info);

// The release that a selector names. Throws as load_release does.
ReleaseInfo select_release(store::Connection& connection, const std::string& selector);

// The mapping of a release as stored.
Mapping load_mapping(store::Connection& connection, std::int64_t release_id);

}  // namespace profdb
