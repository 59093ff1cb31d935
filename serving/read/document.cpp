// Reading documents and finding the lines of their fields.
#include "serving/read/document.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "base/input/input_file.h"
#include "base/input/sha256.h"
#include "base/input/yaml_strict.h"

namespace profdb::serving {

namespace {

constexpr std::size_t kDocumentPiece = std::size_t{1} << 20;

// The line of the node that a JSON pointer names, or of the innermost that exists on the way there.
int line_at(const std::string& text, const std::string& name, const std::string& pointer) {
  YAML::Node node = load_yaml(text, name);
  int line = 1;
  std::istringstream parts(pointer);
  std::string part;
  std::getline(parts, part, '/');
  while (std::getline(parts, part, '/')) {
    YAML::Node next;
    if (node.IsMap()) {
      for (const auto& field : node)
        if (field.first.Scalar() == part) {
          line = line_of(field.first);
          next.reset(field.second);
        }
    } else if (std::size_t index = 0;
               node.IsSequence() &&
               std::from_chars(part.data(), part.data() + part.size(), index).ec == std::errc() &&
               index < node.size()) {
      next.reset(node[index]);
      line = line_of(next);
    }
    if (!next.IsDefined() || next.IsNull()) break;
    node.reset(next);
  }
  return line;
}

}  // namespace

std::string sha256_of(std::string_view bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.finish();
}

std::string sha256_of_file(const std::filesystem::path& path) {
  InputFile file(path);
  Sha256 digest;
  while (true) {
    const auto piece = file.read(kDocumentPiece);
    if (piece.empty()) return digest.finish();
    digest.update(piece);
  }
}

std::string read_whole(const std::filesystem::path& path) {
  InputFile file(path);
  std::string text;
  while (true) {
    const auto piece = file.read(kDocumentPiece);
    if (piece.empty()) return text;
    text += piece;
  }
}

Document parse_document(std::string text, std::string name) {
  Document document;
  document.name = std::move(name);
  document.text = std::move(text);
  document.sha256 = sha256_of(document.text);
  document.json = profdb::to_json(load_yaml(document.text, document.name));
  if (!document.json.is_object())
    fail_at(document.name, 1, "the document is no map of fields; see the templates of 'profdb serving init'");
  return document;
}

Document load_document(const std::filesystem::path& path) {
  return parse_document(read_whole(path), path.string());
}

Error field_error(const Document& document, const FieldError& error) {
  const int line = line_at(document.text, document.name, error.pointer());
  return {ErrorKind::input, fmt::format("{}:{}: {}", document.name, line, error.what())};
}

Protocol load_protocol(const std::filesystem::path& path) {
  return parse_with(load_document(path), parse_protocol);
}

}  // namespace profdb::serving
