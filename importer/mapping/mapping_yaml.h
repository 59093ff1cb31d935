// Reads op_mapping.yaml strictly (formats §3).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/mapping.h"

namespace profdb::importer {

struct ParsedMapping {
  Mapping mapping;
  // With lines: unknown fields and selectors, policies for kernels that no operator maps, and what else has
  // no effect.
  std::vector<std::string> warnings;
};

// Whether a text can name a kernel: letters, digits and underscores, at least one.
bool is_kernel_name(std::string_view name);

// Parses mapping text; `name` is what errors call the file. Throws Error(input) naming file and line for:
// YAML that does not parse, a document that is not a map, duplicate keys at any level, wrong types, values
// outside their range, kernel names other than [A-Za-z0-9_]+, aliases that expand to more than 100,000 nodes,
// several documents, more than 16 MiB, keys that are no names, merge keys (<<), more than 64 levels, and
// operators that have none of kernel_type, zero_cost, accepted_miss and composite.
ParsedMapping parse_mapping(std::string_view text, const std::string& name);

// Reads and parses a file. Throws Error(input) as above, or where it cannot be read.
ParsedMapping read_mapping(const std::filesystem::path& path);

}  // namespace profdb::importer
