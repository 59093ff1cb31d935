// Zigzag varints.
#include "serving/read/frames_codec.h"

#include <cstdint>

#include "profdb/error.h"

namespace profdb::serving {

namespace {

constexpr unsigned kBits = 7;
constexpr unsigned char kMore = 0x80;

std::uint64_t wrapped_difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
}

void put(std::string& blob, std::uint64_t number) {
  const bool negative = (number >> 63) != 0;
  std::uint64_t value = (number << 1) ^ (negative ? ~std::uint64_t{0} : 0);
  while (value >= kMore) {
    blob += static_cast<char>((value & 0x7f) | kMore);
    value >>= kBits;
  }
  blob += static_cast<char>(value);
}

class Reader {
 public:
  explicit Reader(std::string_view blob) : blob_(blob) {}
  bool at_end() const { return at_ == blob_.size(); }
  std::uint64_t next() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += kBits) {
      if (at_end()) break;
      const auto byte = static_cast<unsigned char>(blob_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & kMore) == 0) return (value >> 1) ^ (~(value & 1) + 1);
    }
    throw Error(ErrorKind::database,
                "the frames of a request are damaged; restore a backup, or import the round anew");
  }

 private:
  std::string_view blob_;
  std::size_t at_ = 0;
};

}  // namespace

std::string encode_frames(const std::vector<Frame>& frames, std::int64_t start_ns) {
  std::string blob;
  blob.reserve(frames.size() * 10);
  std::int64_t t_ns = start_ns;
  std::int64_t end_byte = 0;
  for (const Frame& frame : frames) {
    put(blob, wrapped_difference(frame.t_ns, t_ns));
    put(blob, wrapped_difference(frame.end_byte, end_byte));
    put(blob, frame.token_ids.size());
    for (const std::int64_t id : frame.token_ids) put(blob, static_cast<std::uint64_t>(id));
    t_ns = frame.t_ns;
    end_byte = frame.end_byte;
  }
  return blob;
}

std::vector<Frame> decode_frames(std::string_view blob, std::int64_t start_ns) {
  std::vector<Frame> frames;
  Reader reader(blob);
  auto t_ns = static_cast<std::uint64_t>(start_ns);
  std::uint64_t end_byte = 0;
  while (!reader.at_end()) {
    Frame& frame = frames.emplace_back();
    t_ns += reader.next();
    end_byte += reader.next();
    frame.t_ns = static_cast<std::int64_t>(t_ns);
    frame.end_byte = static_cast<std::int64_t>(end_byte);
    const std::uint64_t count = reader.next();
    for (std::uint64_t i = 0; i < count; ++i)
      frame.token_ids.push_back(static_cast<std::int64_t>(reader.next()));
  }
  return frames;
}

}  // namespace profdb::serving
