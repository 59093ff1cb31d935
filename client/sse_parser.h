// Server-sent events out of bytes that arrive in pieces of any size (WHATWG HTML, "Server-sent events").
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace profdb::serving {

// One event: what stands between two blank lines.
struct SseFrame {
  std::string event;             // "message" where the stream names none
  std::string data;              // the data lines, joined by line feeds
  std::uint64_t end_offset = 0;  // bytes of the stream up to the one that ended the frame's blank line
};

// Cuts a stream into frames. A line ends with LF, CR LF or CR; a CR ends its line at once, so that the end of
// a frame never depends on the byte after it. Comments, unknown fields and frames without data give no frame.
// Where a piece ends never changes the frames or their offsets. Not for several threads at once.
class SseParser {
 public:
  using Sink = std::function<void(const SseFrame&)>;

  // Takes the next bytes of the stream and calls `sink` for each frame that they complete.
  void feed(std::string_view bytes, const Sink& sink);

  // Bytes of a frame have arrived, but not its blank line: at the end of a stream, a frame that was cut off.
  bool inside_frame() const { return !line_.empty() || has_data_ || !event_.empty(); }
  // Bytes taken so far.
  std::uint64_t offset() const { return offset_; }

 private:
  void end_line(const Sink& sink);
  void take_field(std::string_view line);

  std::string line_;   // the bytes of a line that has not ended
  std::string event_;  // of the frame that has not ended
  std::string data_;
  bool has_data_ = false;
  bool after_cr_ = false;  // a LF that follows belongs to the line end already taken
  bool first_line_ = true;
  std::uint64_t offset_ = 0;
};

}  // namespace profdb::serving
