// Two ways to write JSON from one description of it: as text at once, or as a value. A description is a
// template over the writer that calls key() and value() between begin_...() and end_...(), and writes no key
// twice in an object. The text is byte for byte what dump() of the value gives.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profdb {

// Appends to a text that it alone writes until finish(): one line, bytes that are not UTF-8 replaced.
class JsonText {
 public:
  explicit JsonText(std::string& out);
  void finish();

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  // A key of the format's own, which has nothing to escape.
  void literal_key(std::string_view key) {
    separate();
    plain(key);
    end_key();
  }
  void key(std::string_view key) {
    separate();
    quote(key);
    end_key();
  }
  void value(std::string_view text) {
    separate();
    quote(text);
  }
  void value(std::int64_t number);
  void value(std::uint64_t number);
  void value(double number);
  void value(const nlohmann::json& value);
  void null();

 private:
  // Room for that many bytes at at_.
  void room(std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - at_) < bytes) grow(bytes);
  }
  void grow(std::size_t bytes);
  // A comma, unless what comes is the first of its array or object, or the value of a key.
  void separate() {
    room(2);
    *at_ = ',';
    at_ += first_ ? 0 : 1;
    first_ = false;
  }
  void open(char bracket) {
    separate();
    *at_++ = bracket;
    first_ = true;
  }
  void close(char bracket) {
    room(1);
    *at_++ = bracket;
    first_ = false;
  }
  void end_key() {
    room(1);
    *at_++ = ':';
    first_ = true;
  }
  // In quotes, as it is.
  void plain(std::string_view text) {
    room(text.size() + 2);
    *at_++ = '"';
    at_ += text.copy(at_, text.size());
    *at_++ = '"';
  }
  void quote(std::string_view text);
  void raw(std::string_view text);

  std::string& out_;  // longer than what is written
  char* at_;          // where writing goes on in it
  char* end_;
  bool first_ = true;  // nothing stands before what comes next
};

// Builds a value.
class JsonValue {
 public:
  nlohmann::ordered_json take() { return std::move(root_); }

  void begin_object() { open(nlohmann::ordered_json::object()); }
  void end_object() { parents_.pop_back(); }
  void begin_array() { open(nlohmann::ordered_json::array()); }
  void end_array() { parents_.pop_back(); }
  void literal_key(std::string_view key) { key_ = key; }
  void key(std::string_view key) { key_ = key; }
  void value(std::string_view text) { put(text); }
  void value(std::int64_t number) { put(number); }
  void value(std::uint64_t number) { put(number); }
  void value(double number) { put(number); }
  void value(const nlohmann::json& value) { put(value); }
  void null() { put(nullptr); }

 private:
  void open(nlohmann::ordered_json empty) { parents_.push_back(&put(std::move(empty))); }
  nlohmann::ordered_json& put(nlohmann::ordered_json value);

  nlohmann::ordered_json root_;
  std::vector<nlohmann::ordered_json*> parents_;  // the unfinished, outermost first
  std::string key_;                               // of what comes next
};

}  // namespace profdb
