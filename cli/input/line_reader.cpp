// Reading lines without waiting while answers are still unsent.
#include "cli/input/line_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "profdb/error.h"

namespace profdb::cli {
namespace {

constexpr std::size_t kChunk = std::size_t{64} * 1024;

[[noreturn]] void fail(const std::string& path, int error_number) {
  throw Error(ErrorKind::input, fmt::format("{}: cannot be read: {}", path == "-" ? "standard input" : path,
                                            std::generic_category().message(error_number)));
}

}  // namespace

LineReader::LineReader(std::string path, std::function<void()> before_wait)
    : path_(std::move(path)),
      before_wait_(std::move(before_wait)),
      fd_(path_ == "-" ? STDIN_FILENO : open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (fd_ < 0) fail(path_, errno);
}

LineReader::~LineReader() {
  if (fd_ != STDIN_FILENO) close(fd_);
}

bool LineReader::fill() {
  pollfd waiting{fd_, POLLIN, 0};
  if (poll(&waiting, 1, 0) == 0) before_wait_();
  std::array<char, kChunk> chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  ssize_t got = 0;
  do {
    got = read(fd_, chunk.data(), chunk.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail(path_, errno);
  buffer_.append(chunk.data(), static_cast<std::size_t>(got));
  return got > 0;
}

LineReader::Status LineReader::next(std::string& line) {
  line.clear();
  bool too_long = false;
  std::size_t searched = at_;
  std::size_t end = 0;
  while ((end = buffer_.find('\n', searched)) == std::string::npos && !at_end_) {
    buffer_.erase(0, at_);
    at_ = 0;
    if (buffer_.size() > kMaxLineBytes) too_long = true;
    if (too_long) buffer_.clear();
    searched = buffer_.size();
    at_end_ = !fill();
  }
  const bool last = end == std::string::npos;
  if (last && at_ == buffer_.size() && !too_long) return Status::end;
  const std::size_t stop = last ? buffer_.size() : end;
  too_long = too_long || stop - at_ > kMaxLineBytes;
  if (!too_long) line.assign(buffer_, at_, stop - at_);
  at_ = last ? stop : stop + 1;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return too_long ? Status::too_long : Status::line;
}

}  // namespace profdb::cli
