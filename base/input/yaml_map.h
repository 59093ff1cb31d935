// Reads the maps of a YAML document field by field, with errors that name the line, the field and its place.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/input/yaml_strict.h"

namespace profdb {

// What all maps of one document share.
struct YamlContext {
  std::string name;  // of the file, for errors
  std::vector<std::string> warnings;

  void warn(int line, std::string_view message);
};

struct YamlField {
  std::string key;
  int line = 0;  // of the key, from 1
  YAML::Node value;
  bool read = false;
};

// A map of a document that load_yaml has loaded. Each reader returns nothing where the field is absent, marks
// it as known, and throws Error(input) where it has another type. Keeps a reference to the context.
class YamlMap {
 public:
  // `where` is how messages call the map ("operator 'aten.mm.default'"). Throws Error(input) for anything
  // else than a map.
  YamlMap(YamlContext& context, std::string where, const YAML::Node& node, int line);

  // Text by the core rules: 1.5 and true are none until they are quoted. Never empty.
  std::optional<std::string> text(std::string_view key);
  // The same, but "" and an empty value are as good as none.
  std::optional<std::string> note(std::string_view key);
  // Any scalar, as written: version numbers.
  std::optional<std::string> as_written(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  std::optional<std::int64_t> integer(std::string_view key, std::int64_t minimum);
  std::optional<std::string> one_of(std::string_view key, std::initializer_list<std::string_view> values);
  std::optional<std::vector<std::string>> texts(std::string_view key);
  // The map that a field holds, called `where` in messages.
  std::optional<YamlMap> map(std::string_view key, std::string where);

  // The fields that no reader has asked for, as JSON; warns about each.
  nlohmann::ordered_json unknown_fields();

  // The line of a field, or of the map where it is absent.
  int line(std::string_view key) const;
  int line() const { return line_; }
  const std::vector<YamlField>& fields() const { return fields_; }
  const std::string& where() const { return where_; }

  // "…: KEY of WHERE is VALUE; REMEDY".
  [[noreturn]] void fail(const YamlField& field, std::string_view remedy) const;

 private:
  YamlField* take(std::string_view key);
  const YamlField* find(std::string_view key) const;

  YamlContext* context_;
  std::string where_;
  int line_;
  std::vector<YamlField> fields_;  // in file order
};

}  // namespace profdb
