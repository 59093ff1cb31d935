// Answering a stream of leaf operators.
#include "cli/input/jsonl.h"

#include <fmt/format.h>

#include <cstdint>
#include <unordered_map>

#include "cli/input/line_reader.h"
#include "cli/output/output.h"

namespace profdb::cli {
namespace {

// Lines that came before, with their leaves and answers: streams repeat themselves, and reading a line and
// printing a result take longer than the lookup.
class Known {
 public:
  struct Line {
    explicit Line(PreparedLeaf prepared) : leaf(std::move(prepared)) {}
    PreparedLeaf leaf;
    ResultPtr answer;
    std::string text;  // of `answer`
  };

  // Throws Error(input) for a line that is no leaf.
  Line& of(const std::string& line) {
    if (const auto it = lines_.find(line); it != lines_.end()) return it->second;
    if (bytes_ > kMostBytes) {
      lines_.clear();
      bytes_ = 0;
    }
    bytes_ += line.size() * 3 + kPerLine;
    return lines_.emplace(line, PreparedLeaf(parse_leaf_op(line))).first->second;
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  static constexpr std::size_t kPerLine = 2048;  // roughly: the leaf, the printed result

  std::unordered_map<std::string, Line> lines_;
  std::size_t bytes_ = 0;
};

class Stream {
 public:
  explicit Stream(const Engine& engine) : engine_(engine) {}

  void answer(const std::string& line) {
    try {
      Known::Line& known = known_.of(line);
      ResultPtr answer = engine_.lookup(known.leaf);
      if (answer != known.answer) {
        known.text = to_json_text(*answer) + "\n";
        known.answer = std::move(answer);
      }
      print(known.text);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::input) throw;
      malformed(e.what());
    }
  }

  void malformed(const std::string& error) {
    clean_ = false;
    print(json_line({{"source", "ERROR"}, {"line", number_}, {"error", error}}) + "\n");
  }

  void next_line() { ++number_; }
  bool clean() const { return clean_; }

 private:
  const Engine& engine_;
  Known known_;
  std::int64_t number_ = 0;
  bool clean_ = true;
};

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t") == std::string::npos;
}

}  // namespace

bool answer_lines(const Engine& engine, const std::string& path) {
  LineReader reader(path, flush_output);
  Stream stream(engine);
  std::string line;
  bool blank_before = false;  // a blank line is an error only where another line follows
  for (;;) {
    const LineReader::Status status = reader.next(line);
    if (status == LineReader::Status::end) break;
    if (blank_before) stream.malformed("the line is empty; write one leaf operator per line");
    stream.next_line();
    blank_before = status == LineReader::Status::line && is_blank(line);
    if (status == LineReader::Status::too_long)
      stream.malformed(fmt::format("the line is longer than {} MiB", LineReader::kMaxLineBytes >> 20U));
    else if (!blank_before)
      stream.answer(line);
  }
  flush_output();
  return stream.clean();
}

}  // namespace profdb::cli
