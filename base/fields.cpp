// Typed access to the fields of a JSON object.
#include "base/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace profdb {

using nlohmann::ordered_json;

namespace {

std::string shown(const ordered_json& value) {
  constexpr std::size_t kLongest = 60;
  const std::string text = value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  return text.size() > kLongest ? text.substr(0, kLongest) + "..." : text;
}

std::string place(const std::string& pointer) {
  if (pointer.empty()) return "the document";
  std::string text = pointer.substr(1);
  std::replace(text.begin(), text.end(), '/', '.');
  return text;
}

}  // namespace

FieldError::FieldError(std::string pointer, const std::string& message)
    : Error(ErrorKind::input, fmt::format("{} {}", place(pointer), message)),
      pointer_(std::move(pointer)),
      problem_(message) {}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Fields::Fields(const ordered_json& object, std::string pointer)
    : object_(&object), pointer_(std::move(pointer)) {
  if (!object.is_object())
    throw FieldError(pointer_, fmt::format("is {}; write an object of fields", shown(object)));
}

std::string Fields::pointer_to(std::string_view key) const {
  return fmt::format("{}/{}", pointer_, key);
}

void Fields::fail(std::string_view key, const std::string& problem) const {
  throw FieldError(pointer_to(key), problem);
}

bool Fields::has(std::string_view key) const {
  const auto at = object_->find(std::string(key));
  return at != object_->end() && !at->is_null();
}

const ordered_json* Fields::find(std::string_view key) {
  known_.emplace(key);
  const auto at = object_->find(std::string(key));
  return at == object_->end() || at->is_null() ? nullptr : &*at;
}

const ordered_json& Fields::require(std::string_view key) {
  const ordered_json* value = find(key);
  if (value == nullptr) fail(key, "is missing; add it");
  return *value;
}

std::optional<std::string> Fields::optional_text(std::string_view key) {
  const ordered_json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string() || value->get_ref<const std::string&>().empty())
    fail(key, fmt::format("is {}; write a text, in quotes", shown(*value)));
  return value->get<std::string>();
}

std::string Fields::text(std::string_view key) {
  static_cast<void>(require(key));
  return *optional_text(key);
}

std::optional<std::string> Fields::optional_sha256(std::string_view key) {
  auto value = optional_text(key);
  if (value && !is_sha256(*value))
    fail(key, fmt::format("is '{}'; write a SHA-256: 64 lower-case hex digits", *value));
  return value;
}

std::string Fields::sha256(std::string_view key) {
  static_cast<void>(require(key));
  return *optional_sha256(key);
}

std::optional<std::int64_t> Fields::optional_integer(std::string_view key, std::int64_t minimum) {
  const ordered_json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const bool fits = value->is_number_integer() &&
                    !(value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX) &&
                    value->get<std::int64_t>() >= minimum;
  if (!fits) fail(key, fmt::format("is {}; write a whole number from {} on", shown(*value), minimum));
  return value->get<std::int64_t>();
}

std::int64_t Fields::integer(std::string_view key, std::int64_t minimum) {
  static_cast<void>(require(key));
  return *optional_integer(key, minimum);
}

std::optional<double> Fields::optional_number(std::string_view key, double minimum) {
  const ordered_json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const bool fits =
      value->is_number() && std::isfinite(value->get<double>()) && value->get<double>() >= minimum;
  if (!fits) fail(key, fmt::format("is {}; write a number from {} on", shown(*value), minimum));
  return value->get<double>();
}

double Fields::number(std::string_view key, double minimum) {
  static_cast<void>(require(key));
  return *optional_number(key, minimum);
}

std::optional<bool> Fields::optional_boolean(std::string_view key) {
  const ordered_json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) fail(key, fmt::format("is {}; write true or false", shown(*value)));
  return value->get<bool>();
}

bool Fields::boolean(std::string_view key) {
  static_cast<void>(require(key));
  return *optional_boolean(key);
}

std::string Fields::one_of(std::string_view key, const std::vector<std::string>& values) {
  std::string value = text(key);
  if (std::find(values.begin(), values.end(), value) == values.end())
    fail(key, fmt::format("is '{}'; write one of {}", value, fmt::join(values, ", ")));
  return value;
}

std::optional<Fields> Fields::optional_object(std::string_view key) {
  const ordered_json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return Fields(*value, pointer_to(key));
}

Fields Fields::object(std::string_view key) {
  return Fields(require(key), pointer_to(key));
}

std::vector<Fields> Fields::objects(std::string_view key) {
  std::vector<Fields> list;
  const ordered_json* value = find(key);
  if (value == nullptr) return list;
  if (!value->is_array()) fail(key, fmt::format("is {}; write a list", shown(*value)));
  for (std::size_t i = 0; i < value->size(); ++i)
    list.emplace_back((*value)[i], fmt::format("{}/{}", pointer_to(key), i));
  return list;
}

std::vector<std::string> Fields::texts(std::string_view key) {
  std::vector<std::string> list;
  const ordered_json* value = find(key);
  if (value == nullptr) return list;
  if (!value->is_array()) fail(key, fmt::format("is {}; write a list of texts", shown(*value)));
  for (const auto& item : *value) {
    if (!item.is_string() || item.get_ref<const std::string&>().empty())
      fail(key, fmt::format("holds {}; write texts, in quotes", shown(item)));
    list.push_back(item.get<std::string>());
  }
  return list;
}

std::vector<std::int64_t> Fields::integers(std::string_view key, std::int64_t minimum) {
  std::vector<std::int64_t> list;
  const ordered_json* value = find(key);
  if (value == nullptr) return list;
  if (!value->is_array()) fail(key, fmt::format("is {}; write a list of whole numbers", shown(*value)));
  for (const auto& item : *value) {
    if (!item.is_number_integer() || item.get<std::int64_t>() < minimum)
      fail(key, fmt::format("holds {}; write whole numbers from {} on", shown(item), minimum));
    list.push_back(item.get<std::int64_t>());
  }
  return list;
}

const ordered_json& Fields::any(std::string_view key) {
  static const ordered_json null;
  const ordered_json* value = find(key);
  return value == nullptr ? null : *value;
}

const ordered_json& Fields::all() {
  for (const auto& [key, value] : object_->items()) known_.insert(key);
  return *object_;
}

void Fields::done() const {
  for (const auto& [key, value] : object_->items())
    if (known_.find(key) == known_.end())
      fail(key, "is no field of this document; correct its name or remove it");
}

}  // namespace profdb
