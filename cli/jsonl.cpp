// Answering a stream of leaf operators.
#include "cli/jsonl.h"

#include <fmt/format.h>

#include <cstdint>

#include "cli/line_reader.h"
#include "cli/output.h"

namespace profdb::cli {
namespace {

class Stream {
 public:
  explicit Stream(const Engine& engine) : engine_(engine) {}

  void answer(const std::string& line) {
    try {
      print(json_line(to_json(*engine_.lookup(parse_leaf_op(line)))) + "\n");
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
