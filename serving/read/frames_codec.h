// The frames of a record as one compact blob: a round has hundreds of thousands of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serving/documents/request_record.h"

namespace profdb::serving {

// Per frame: the difference of t_ns to the frame before it (the first one's to start_ns), the difference of
// end_byte, the number of token ids, and the ids; each a zigzag varint. Differences wrap, so that any 64-bit
// values survive.
std::string encode_frames(const std::vector<Frame>& frames, std::int64_t start_ns);

// Throws Error(database) where the blob is damaged.
std::vector<Frame> decode_frames(std::string_view blob, std::int64_t start_ns);

}  // namespace profdb::serving
