// Reads the objects of an input document field by field, with errors that name the field and its place.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profdb/error.h"

namespace profdb {

// A field that is missing, unknown, or has another type or value than it may have. `pointer` is its JSON
// pointer ("/levels/1"), so that whoever knows the file can add its name and line.
class FieldError : public Error {
 public:
  FieldError(std::string pointer, const std::string& message);
  const std::string& pointer() const { return pointer_; }
  const std::string& problem() const { return problem_; }

 private:
  std::string pointer_;
  std::string problem_;
};

bool is_sha256(std::string_view text);  // 64 lower-case hex digits

// One JSON object. Every reader marks its field as known; done() refuses what nobody asked for. Refers to the
// document, which must outlive it. Required readers throw FieldError where the field is absent or null.
class Fields {
 public:
  explicit Fields(const nlohmann::ordered_json& object, std::string pointer = "");

  std::string text(std::string_view key);  // never empty
  std::optional<std::string> optional_text(std::string_view key);
  std::string sha256(std::string_view key);
  std::optional<std::string> optional_sha256(std::string_view key);
  std::int64_t integer(std::string_view key, std::int64_t minimum = 0);
  std::optional<std::int64_t> optional_integer(std::string_view key, std::int64_t minimum = 0);
  double number(std::string_view key, double minimum = 0);  // finite
  std::optional<double> optional_number(std::string_view key, double minimum = 0);
  bool boolean(std::string_view key);
  std::optional<bool> optional_boolean(std::string_view key);
  std::string one_of(std::string_view key, const std::vector<std::string>& values);

  Fields object(std::string_view key);
  std::optional<Fields> optional_object(std::string_view key);
  std::vector<Fields> objects(std::string_view key);  // absent: none
  std::vector<std::string> texts(std::string_view key);
  std::vector<std::int64_t> integers(std::string_view key, std::int64_t minimum = 0);

  // The value as it stands, or null where the field is absent.
  const nlohmann::ordered_json& any(std::string_view key);
  // Every field of an object whose keys are data, not names of fields.
  const nlohmann::ordered_json& all();

  void done() const;
  [[noreturn]] void fail(std::string_view key, const std::string& problem) const;
  bool has(std::string_view key) const;

 private:
  const nlohmann::ordered_json* find(std::string_view key);
  const nlohmann::ordered_json& require(std::string_view key);
  std::string pointer_to(std::string_view key) const;

  const nlohmann::ordered_json* object_;
  std::string pointer_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace profdb
