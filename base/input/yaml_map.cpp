// Typed access to the fields of a YAML map.
#include "base/input/yaml_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace profdb {

namespace {

// A value as an error shows it.
std::string shown(const YAML::Node& node) {
  if (node.IsMap()) return "a map";
  if (node.IsSequence()) return "a list";
  if (!node.IsScalar()) return "empty";
  constexpr std::size_t kLongest = 60;
  const std::string& text = node.Scalar();
  return text.size() > kLongest ? "a long text" : fmt::format("'{}'", text);
}

}  // namespace

void YamlContext::warn(int line, std::string_view message) {
  warnings.push_back(fmt::format("{}:{}: {}", name, line, message));
}

YamlMap::YamlMap(YamlContext& context, std::string where, const YAML::Node& node, int line)
    : context_(&context), where_(std::move(where)), line_(line) {
  if (!node.IsMap()) {
    fail_at(context.name, line, fmt::format("{} is {}; write a map of fields", where_, shown(node)));
  }
  fields_.reserve(node.size());
  for (const auto& field : node) {
    fields_.push_back({.key = field.first.Scalar(), .line = line_of(field.first), .value = field.second});
  }
}

const YamlField* YamlMap::find(std::string_view key) const {
  const auto at = std::find_if(fields_.begin(), fields_.end(), [&](const auto& f) { return f.key == key; });
  return at == fields_.end() ? nullptr : &*at;
}

YamlField* YamlMap::take(std::string_view key) {
  const auto at = std::find_if(fields_.begin(), fields_.end(), [&](const auto& f) { return f.key == key; });
  if (at == fields_.end()) return nullptr;
  at->read = true;
  return &*at;
}

int YamlMap::line(std::string_view key) const {
  const YamlField* field = find(key);
  return field != nullptr ? field->line : line_;
}

void YamlMap::fail(const YamlField& field, std::string_view remedy) const {
  fail_at(context_->name, field.line,
          fmt::format("{} of {} is {}; {}", field.key, where_, shown(field.value), remedy));
}

std::optional<std::string> YamlMap::text(std::string_view key) {
  const YamlField* field = take(key);
  if (field == nullptr) return std::nullopt;
  if (!field->value.IsScalar() || !to_json(field->value).is_string()) fail(*field, "write a text, in quotes");
  if (field->value.Scalar().empty()) fail(*field, "write a text, or leave the field out");
  return field->value.Scalar();
}

std::optional<std::string> YamlMap::note(std::string_view key) {
  const YamlField* field = find(key);
  const bool blank = field != nullptr &&
                     (field->value.IsNull() || (field->value.IsScalar() && field->value.Scalar().empty()));
  if (!blank) return text(key);
  take(key);
  return std::nullopt;
}

std::optional<std::string> YamlMap::as_written(std::string_view key) {
  const YamlField* field = take(key);
  if (field == nullptr) return std::nullopt;
  if (!field->value.IsScalar() || field->value.Scalar().empty()) fail(*field, "write a single value");
  return field->value.Scalar();
}

std::optional<bool> YamlMap::boolean(std::string_view key) {
  const YamlField* field = take(key);
  if (field == nullptr) return std::nullopt;
  const auto value = to_json(field->value);
  if (!value.is_boolean()) fail(*field, "write true or false");
  return value.get<bool>();
}

std::optional<std::int64_t> YamlMap::integer(std::string_view key, std::int64_t minimum) {
  const YamlField* field = take(key);
  if (field == nullptr) return std::nullopt;
  const auto value = to_json(field->value);
  if (!value.is_number_integer() || value.get<std::int64_t>() < minimum) {
    fail(*field, fmt::format("write a whole number from {} on", minimum));
  }
  return value.get<std::int64_t>();
}

std::optional<std::string> YamlMap::one_of(std::string_view key,
                                           std::initializer_list<std::string_view> values) {
  const YamlField* field = take(key);
  if (field == nullptr) return std::nullopt;
  const bool known = field->value.IsScalar() &&
                     std::find(values.begin(), values.end(), field->value.Scalar()) != values.end();
  if (!known) fail(*field, fmt::format("write {}", fmt::join(values, " or ")));
  return field->value.Scalar();
}

std::optional<std::vector<std::string>> YamlMap::texts(std::string_view key) {
  const YamlField* field = take(key);
  if (field == nullptr) return std::nullopt;
  if (!field->value.IsSequence()) fail(*field, "write a list: [A, B]");
  std::vector<std::string> items;
  for (const YAML::Node& item : field->value) {
    if (!item.IsScalar() || !to_json(item).is_string() || item.Scalar().empty()) {
      fail_at(context_->name, line_of(item),
              fmt::format("an entry of {} of {} is {}; write a text, in quotes", key, where_, shown(item)));
    }
    items.push_back(item.Scalar());
  }
  return items;
}

std::optional<YamlMap> YamlMap::map(std::string_view key, std::string where) {
  const YamlField* field = take(key);
  if (field == nullptr) return std::nullopt;
  return YamlMap(*context_, std::move(where), field->value, field->line);
}

nlohmann::ordered_json YamlMap::unknown_fields() {
  auto unknown = nlohmann::ordered_json::object();
  for (const YamlField& field : fields_) {
    if (field.read) continue;
    context_->warn(field.line,
                   fmt::format("unknown field '{}' in {}; it is kept but has no effect", field.key, where_));
    add_distinct(unknown, field.key, to_json(field.value));
  }
  return unknown;
}

}  // namespace profdb
