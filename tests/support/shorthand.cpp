// Shorthand for leaf operators and CSV rows.
#include "tests/support/shorthand.h"

#include <array>
#include <sstream>
#include <stdexcept>

#include "tests/support/release.h"

namespace profdb::test {
namespace {

struct Word {
  std::string dtype;
  std::string shape;   // "16,256"
  std::string format;  // empty where none is written
};

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> found;
  for (std::string word; in >> word;) found.push_back(word);
  return found;
}

Word read_word(const std::string& text) {
  const auto open = text.find('[');
  const auto close = text.find(']');
  if (open == std::string::npos || close == std::string::npos)
    throw std::invalid_argument("'" + text + "' is not dtype[shape]");
  Word word{text.substr(0, open), text.substr(open + 1, close - open - 1), ""};
  if (close + 1 < text.size()) word.format = text.substr(close + 2);
  return word;
}

std::string tensor_json(const std::string& text) {
  if (text == "-") return "null";
  if (text.starts_with("{")) return text;
  if (const auto star = text.find('*'); star != std::string::npos)
    return R"({"repeat": )" + text.substr(0, star) + R"(, "of": )" + tensor_json(text.substr(star + 1)) + "}";
  const Word word = read_word(text);
  const std::string format = word.format.empty() ? "" : R"(, "format": ")" + word.format + "\"";
  return R"({"dtype": ")" + word.dtype + R"(", "shape": [)" + word.shape + "]" + format + "}";
}

std::string list_json(const std::string& tensors) {
  std::string json;
  for (const std::string& word : words(tensors)) json += (json.empty() ? "" : ", ") + tensor_json(word);
  return "[" + json + "]";
}

// Shapes, dtypes and formats of one direction, as a row's cells.
std::array<std::string, 3> cells(const std::string& tensors) {
  std::array<std::string, 3> lists;
  std::string separator;
  for (const std::string& text : words(tensors)) {
    Word word{"DT_UNDEFINED", "", "NULL"};
    if (text != "-") {
      word = read_word(text);
      if (word.shape.empty()) word.shape = "()";
      if (word.format.empty()) word.format = "ND";
    }
    lists[0] += separator + word.shape;
    lists[1] += separator + word.dtype;
    lists[2] += separator + word.format;
    separator = ";";
  }
  return lists;
}

}  // namespace

std::string leaf(const std::string& op, const std::string& inputs, const std::string& outputs,
                 const std::string& rest) {
  return R"({"op": ")" + op + R"(", "inputs": )" + list_json(inputs) + R"(, "outputs": )" +
         list_json(outputs) + (rest.empty() ? "" : ", " + rest) + "}";
}

std::string measured(const std::string& inputs, const std::string& outputs,
                     const std::vector<std::string>& rest) {
  const auto in = cells(inputs);
  const auto out = cells(outputs);
  return csv_row(in[0], in[1], in[2], out[0], out[1], out[2], rest);
}

}  // namespace profdb::test
