// An operator mapping as tables and as JSON: which path each operator reaches, on which kernels.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/store/mapping.h"

namespace profdb::cli {

std::string operators_text(const Mapping& mapping);
std::string policies_text(const Mapping& mapping);  // empty where the mapping has none
// {"operators": [...], "policies": [...]}
nlohmann::ordered_json mapping_json(const Mapping& mapping);

}  // namespace profdb::cli
