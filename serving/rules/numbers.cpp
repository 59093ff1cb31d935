// TTFT, E2E, TPOT and their mean.
#include "serving/rules/numbers.h"

namespace profdb::serving {

namespace {

double milliseconds(std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<double>(to_ns - from_ns) / 1e6;
}

}  // namespace

std::optional<std::int64_t> first_token_ns(const RequestRecord& record) {
  for (const Frame& frame : record.frames)
    if (!frame.token_ids.empty()) return frame.t_ns;
  return std::nullopt;
}

std::optional<RequestNumbers> numbers_of(const RequestRecord& record) {
  const auto first = first_token_ns(record);
  const std::int64_t output = record.output_tokens();
  if (!first || output < 2 || record.start_ns < 0 || *first <= record.start_ns || record.end_ns <= *first)
    return std::nullopt;
  return RequestNumbers{milliseconds(record.start_ns, *first), milliseconds(record.start_ns, record.end_ns),
                        milliseconds(*first, record.end_ns) / static_cast<double>(output - 1)};
}

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

bool times_are_monotone(const RequestRecord& record) {
  if (record.start_ns < 0) return false;
  std::int64_t before = record.start_ns;
  for (const Frame& frame : record.frames) {
    if (frame.t_ns < before) return false;
    before = frame.t_ns;
  }
  const auto first = first_token_ns(record);
  return record.end_ns >= before && (!first || *first > record.start_ns);
}

}  // namespace profdb::serving
