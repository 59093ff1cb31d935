// Lines into fields, fields into frames.
#include "serving/stream/sse_parser.h"

#include <utility>

namespace profdb::serving {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

void SseParser::feed(std::string_view bytes, const Sink& sink) {
  while (!bytes.empty()) {
    if (after_cr_) {
      const bool line_feed = bytes.front() == '\n';
      offset_ += line_feed ? 1 : 0;
      end_line(sink);
      if (line_feed) bytes.remove_prefix(1);
      continue;
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view part = bytes.substr(0, end);
    line_.append(part);
    offset_ += part.size();
    bytes.remove_prefix(part.size());
    if (bytes.empty()) return;
    ++offset_;
    after_cr_ = bytes.front() == '\r';
    bytes.remove_prefix(1);
    if (!after_cr_) end_line(sink);
  }
}

bool SseParser::finish(const Sink& sink) {
  if (after_cr_) end_line(sink);
  return line_.empty() && !has_data_ && event_.empty();
}

void SseParser::end_line(const Sink& sink) {
  const std::string line = std::exchange(line_, {});
  after_cr_ = false;
  std::string_view text = line;
  if (std::exchange(first_line_, false) && text.starts_with(kByteOrderMark))
    text.remove_prefix(kByteOrderMark.size());
  if (!text.empty()) {
    take_field(text);
    return;
  }
  if (has_data_) sink({event_.empty() ? "message" : event_, data_, offset_});
  event_.clear();
  data_.clear();
  has_data_ = false;
}

void SseParser::take_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "event") event_ = value;
  if (name != "data") return;
  if (has_data_) data_ += '\n';
  data_ += value;
  has_data_ = true;
}

}  // namespace profdb::serving
