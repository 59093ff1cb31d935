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
  std::uint64_t end_offset = 0;  // bytes of the stream up to the end of the frame's blank line
};

// Cuts a stream into frames. A line ends with LF, CR LF or CR; which of the last two a CR begins shows with
// the byte after it, so a blank line that CR ends is known to be over one byte later, or at the end of the
// stream; its offset does not count that byte. Comments, unknown fields and frames without data give no
// frame. Where a piece ends never changes the frames or their offsets. Not for several threads at once.
class SseParser {
 public:
  using Sink = std::function<void(const SseFrame&)>;

  // Takes the next bytes of the stream and calls `sink` for each frame that is known to be complete.
  void feed(std::string_view bytes, const Sink& sink);
  // The stream has ended: calls `sink` for a frame whose last byte was a CR. False where bytes of a frame
  // have arrived, but not its blank line.
  bool finish(const Sink& sink);

 private:
  void end_line(const Sink& sink);
  void take_field(std::string_view line);

  std::string line_;       // the bytes of a line whose end has not begun
  bool after_cr_ = false;  // it has begun with a CR
  std::string event_;      // of the frame that has not ended
  std::string data_;
  bool has_data_ = false;
  bool first_line_ = true;
  std::uint64_t offset_ = 0;  // bytes taken so far
};

}  // namespace profdb::serving
