// The writers of JSON. Numbers and what needs escapes come from the JSON library itself.
#include "engine/json/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace profdb {
namespace {

constexpr std::size_t kMostDigits = 32;  // of any number, with sign, point and exponent
constexpr std::size_t kFirstRoom = 1024;

std::string dumped(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Each byte of the word: printable ASCII without the quote and the backslash.
bool all_plain(std::uint64_t word) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  constexpr std::uint64_t kHigh = 0x80 * kEach;
  // Of bytes below 0x80: the high bit is set, at least in the lowest of them, where a byte is below `limit`.
  const auto below = [](std::uint64_t bytes, std::uint64_t limit) { return bytes - limit * kEach; };
  const std::uint64_t found =
      word | below(word, 0x20) | below(word ^ ('"' * kEach), 1) | below(word ^ ('\\' * kEach), 1);
  return (found & kHigh) == 0;
}

// Whether the text stands for itself between quotes.
bool is_plain(std::string_view text) {
  std::uint64_t word = 0;
  std::size_t at = 0;
  for (; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if (!all_plain(word)) return false;
  }
  std::memset(&word, ' ', sizeof word);
  if (at < text.size()) std::memcpy(&word, text.data() + at, text.size() - at);
  return all_plain(word);
}

}  // namespace

JsonText::JsonText(std::string& out) : out_(out) {
  const std::size_t written = out.size();
  out_.resize(written + kFirstRoom);
  at_ = out_.data() + written;
  end_ = out_.data() + out_.size();
}

void JsonText::finish() {
  out_.resize(static_cast<std::size_t>(at_ - out_.data()));
}

void JsonText::grow(std::size_t bytes) {
  const auto written = static_cast<std::size_t>(at_ - out_.data());
  out_.resize(std::max(written + bytes, 2 * out_.size()));
  at_ = out_.data() + written;
  end_ = out_.data() + out_.size();
}

void JsonText::raw(std::string_view text) {
  room(text.size());
  at_ += text.copy(at_, text.size());
}

void JsonText::quote(std::string_view text) {
  if (is_plain(text))
    plain(text);
  else
    raw(dumped(text));
}

void JsonText::value(std::int64_t number) {
  separate();
  room(kMostDigits);
  at_ = std::to_chars(at_, end_, number).ptr;
}

void JsonText::value(std::uint64_t number) {
  separate();
  room(kMostDigits);
  at_ = std::to_chars(at_, end_, number).ptr;
}

// The library's digits are not always those of std::to_chars.
void JsonText::value(double number) {
  separate();
  if (!std::isfinite(number)) return raw("null");
  room(kMostDigits);
  at_ = nlohmann::detail::to_chars(at_, end_, number);
}

void JsonText::value(const nlohmann::json& value) {
  separate();
  raw(dumped(value));
}

void JsonText::null() {
  separate();
  raw("null");
}

nlohmann::ordered_json& JsonValue::put(nlohmann::ordered_json value) {
  if (parents_.empty()) return root_ = std::move(value);
  nlohmann::ordered_json& parent = *parents_.back();
  if (parent.is_object()) return parent[key_] = std::move(value);
  parent.push_back(std::move(value));
  return parent.back();
}

}  // namespace profdb
