// The YAML documents of a round (protocol, RunSpec, service, ...): read whole, with their digest, and parsed
// with errors that name file, line and field.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/fields.h"
#include "serving/documents/protocol.h"

namespace profdb::serving {

struct Document {
  std::string name;  // what errors call it: its path
  std::string text;  // the file's bytes
  std::string sha256;
  nlohmann::ordered_json json;
};

// Reads a YAML (or JSON) file. Throws Error(input) where it cannot be read or is not valid.
Document load_document(const std::filesystem::path& path);
// The same from bytes that are kept elsewhere, in the database.
Document parse_document(std::string text, std::string name);

// The Error for a field of `document`, with its line.
Error field_error(const Document& document, const FieldError& error);

// parse(document.json), with errors that name file and line.
template <class Parse>
auto parse_with(const Document& document, const Parse& parse) {
  try {
    return parse(document.json);
  } catch (const FieldError& error) {
    throw field_error(document, error);
  }
}

// Reads a protocol file.
Protocol load_protocol(const std::filesystem::path& path);

// The whole of a file. Throws Error(input).
std::string read_whole(const std::filesystem::path& path);
std::string sha256_of(std::string_view bytes);
// SHA-256 of a file, read in pieces. Throws Error(input).
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace profdb::serving
