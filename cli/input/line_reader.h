// Lines from a file or a pipe, for a reader that answers each before the next one need be written.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace profdb::cli {

class LineReader {
 public:
  // Longer lines are not kept.
  static constexpr std::size_t kMaxLineBytes = std::size_t{64} * 1024 * 1024;

  // `path` "-" is standard input. `before_wait` is called when no input is ready and the reader is about to
  // wait for more: the time to hand over what has been answered. Throws Error(input) where the file cannot
  // be opened.
  LineReader(std::string path, std::function<void()> before_wait);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  enum class Status { line, too_long, end };
  // The next line without its end ("\n" or "\r\n"). Throws Error(input) where the file cannot be read.
  Status next(std::string& line);

 private:
  bool fill();

  std::string path_;
  std::function<void()> before_wait_;
  int fd_;
  std::string buffer_;
  std::size_t at_ = 0;  // what has been handed out of the buffer
  bool at_end_ = false;
};

}  // namespace profdb::cli
