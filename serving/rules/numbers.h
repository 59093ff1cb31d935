// The numbers of a request and of a level (acceptance-protocol §2).
#pragma once

#include <optional>
#include <vector>

#include "serving/documents/request_record.h"

namespace profdb::serving {

// The time of the first frame that holds a generated token id.
std::optional<std::int64_t> first_token_ns(const RequestRecord& record);

struct RequestNumbers {
  double ttft_ms = 0;  // (first - start)/1e6
  double e2e_ms = 0;   // (end - start)/1e6
  double tpot_ms = 0;  // (end - first)/1e6/(output - 1): ms per token
  bool operator==(const RequestNumbers&) const = default;
};

// Nothing where there is no first token, fewer than two tokens, or a time that is not after the one before
// it.
std::optional<RequestNumbers> numbers_of(const RequestRecord& record);

// B_r(C): the arithmetic mean, summed in the given order. Nothing for no values.
std::optional<double> mean(const std::vector<double>& values);

// start <= frames in order <= end, and the first token after the start.
bool times_are_monotone(const RequestRecord& record);

}  // namespace profdb::serving
