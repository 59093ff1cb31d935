// The releases of a database: which there are, which one is meant, and the mapping of each as it is stored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/store/database.h"
#include "engine/store/mapping.h"
#include "profdb/engine.h"

namespace profdb {

// The number that every import, replacement and re-projection raises.
std::int64_t read_generation(store::Connection& connection);

std::vector<ReleaseInfo> list_releases(store::Connection& connection);

// "DEVICE/FRAMEWORK/VERSION"
std::string release_name(const ReleaseInfo& info);

// The release that a selector (as EngineOptions::release) names. Throws Error(usage) that lists the releases
// where it names none, or does not decide.
ReleaseInfo select_release(store::Connection& connection, const std::string& selector);

// The mapping of a release as stored.
Mapping load_mapping(store::Connection& connection, std::int64_t release_id);

}  // namespace profdb
