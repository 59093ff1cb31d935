// What the engine keeps of a release between lookups: its mapping and its projections.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "engine/dispatch.h"
#include "engine/mapping.h"
#include "engine/store/database.h"
#include "profdb/engine.h"

namespace profdb {

struct Projection {
  std::int64_t projection_id = 0;
  std::int64_t candidate_count = 0;  // rows that fit the path and have a usable latency
  std::map<std::string, std::int64_t>
      rejected_rows;                       // rows that do not fit, or have no usable latency, by reason
  std::vector<std::int64_t> input_counts;  // of a base exact projection: those of its rows
};

// Immutable once loaded; belongs to one generation of the database.
struct ReleaseState {
  std::int64_t generation = 0;
  ReleaseInfo info;
  Mapping mapping;
  std::unordered_map<std::string, const OpMapping*> operators;  // by name, into mapping
  std::set<std::string> kernels;                                // with at least one file
  std::map<ProjectionKey, Projection> projections;

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
