// Lines into fields, fields into frames.
#include "client/sse_parser.h"

#include <utility>

namespace profdb::serving {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

void SseParser::feed(std::string_view bytes, const Sink& sink) {
  const std::uint64_t start = offset_;
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (after_cr_ && bytes[at] == '\n') {
      after_cr_ = false;
      offset_ = start + ++at;
      continue;
    }
    after_cr_ = false;
    const std::size_t end = bytes.find_first_of("\r\n", at);
    if (end == std::string_view::npos) {
      line_.append(bytes.substr(at));
      break;
    }
    line_.append(bytes.substr(at, end - at));
    after_cr_ = bytes[end] == '\r';
    at = end + 1;
    offset_ = start + at;
    end_line(sink);
  }
  offset_ = start + bytes.size();
}

void SseParser::end_line(const Sink& sink) {
  const std::string line = std::exchange(line_, {});
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
