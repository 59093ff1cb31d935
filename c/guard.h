// The edge between C and C++: handles, checked arguments, and exceptions turned into a status and a message.
#pragma once

#include <profdb.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "profdb/engine.h"

struct profdb_engine {
  profdb::Engine engine;
};
struct profdb_leaf {
  profdb::LeafOp leaf;
};
struct profdb_prepared {
  profdb::PreparedLeaf leaf;
};
struct profdb_result {
  profdb::ResultPtr result;
};

namespace profdb::c {

// A copy that profdb_free frees. Throws std::bad_alloc.
inline char* copy_text(std::string_view text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

// Throws Error(usage) for a NULL that may not be one.
template <typename T>
T& required(T* pointer, const char* name) {
  if (pointer == nullptr) throw Error(ErrorKind::usage, std::string(name) + " is NULL");
  return *pointer;
}

inline std::string text_of(const char* text, const char* name) {
  return &required(text, name);
}
inline std::string text_or_empty(const char* text) {
  return text == nullptr ? std::string() : std::string(text);
}
inline std::string_view json_of(const char* json, size_t length) {
  return {&required(json, "json"), length};
}

inline profdb_status status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return PROFDB_USAGE;
    case ErrorKind::input:
      return PROFDB_INPUT;
    case ErrorKind::database:
      break;
  }
  return PROFDB_DATABASE;
}

// Hands `message` out where the caller wants it; without memory for it the status has to do.
inline profdb_status fail(profdb_status status, char** error, const char* message) noexcept {
  if (error == nullptr) return status;
  try {
    *error = copy_text(message);
  } catch (const std::bad_alloc&) {
    *error = nullptr;
  }
  return status;
}

// Runs `work` and says how it went.
template <typename Work>
profdb_status guard(char** error, Work work) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    work();
    return PROFDB_OK;
  } catch (const Error& e) {
    return fail(status_of(e.kind()), error, e.what());
  } catch (const std::bad_alloc&) {
    return fail(PROFDB_NO_MEMORY, error, "out of memory");
  } catch (const std::exception& e) {
    return fail(PROFDB_INTERNAL, error, e.what());
  } catch (...) {
    return fail(PROFDB_INTERNAL, error, "unknown exception");
  }
}

// The same for a function that hands out what `work` makes: a raw pointer that its caller then owns.
template <typename T, typename Work>
profdb_status hand_out(T** out, const char* name, char** error, Work work) noexcept {
  if (out != nullptr) *out = nullptr;
  return guard(error, [&] {
    required(out, name);
    *out = work();
  });
}

}  // namespace profdb::c
