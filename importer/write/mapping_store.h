// Stores a release's mapping in the database; load_mapping (engine/store/releases.h) reads it back.
#pragma once

#include <cstdint>

#include "engine/store/database.h"
#include "engine/store/mapping.h"

namespace profdb::importer {

// Writes operators, kernels and policies. The release must have none.
void store_mapping(store::Connection& connection, std::int64_t release_id, const Mapping& mapping);

// Takes a release's operators, policies and projections away.
void clear_mapping(store::Connection& connection, std::int64_t release_id);

// The fields of the mapping that stand in the release's own row (release.mapping_fields).
std::string mapping_fields(const Mapping& mapping);

}  // namespace profdb::importer
