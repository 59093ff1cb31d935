// YAML from outside: loaded under limits that keep it harmless, and read by YAML 1.2's core rules.
#pragma once

#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace profdb {

// Loads one document; `name` is what errors call it. Afterwards every key of every map is a scalar that
// occurs once in it, and walking the whole tree, aliases included, visits at most 100,000 nodes and 64
// levels. Throws Error(input), naming line and remedy, for: more than 16 MiB, NUL bytes, bytes that are not
// UTF-8, YAML that does not parse, several documents, duplicate keys (with both lines), keys that are no
// scalars, merge keys (<<), aliases that contain themselves, and anything past the limits above.
YAML::Node load_yaml(std::string_view text, const std::string& name);

inline constexpr std::size_t kMaxYamlBytes = std::size_t{16} * 1024 * 1024;

// A node as JSON. Plain scalars become null, booleans and numbers by the core rules (yes, no, on, off stay
// text, as do numbers that JSON cannot hold); quoted scalars and those tagged !!str stay text.
nlohmann::ordered_json to_json(const YAML::Node& node);

// Adds a field whose key is known to be new: operator[] of an ordered object would search for it.
void add_distinct(nlohmann::ordered_json& object, const std::string& key, nlohmann::ordered_json value);

// The line of a node, from 1.
int line_of(const YAML::Node& node);

// Throws Error(input) "name:line: message".
[[noreturn]] void fail_at(const std::string& name, int line, std::string_view message);

}  // namespace profdb
