// The rows of one kernel as one path sees them: what a release has of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace profdb {

struct Projection {
  std::int64_t projection_id = 0;
  std::int64_t candidate_count = 0;  // rows that fit the path and have a usable latency
  std::map<std::string, std::int64_t>
      rejected_rows;  // rows that do not fit, or have no usable latency, by reason
  // Of a base exact projection: the classes of its rows (schema: base_exact_signature).
  struct Signatures {
    std::int64_t signature_id = 0;
    std::int64_t input_count = 0;
    std::string input_dtypes;
    mutable std::atomic<int> asked{
        0};  // lookups, since its rows were last taken into memory (CandidateSource)

    Signatures(std::int64_t id, std::int64_t count, std::string dtypes)
        : signature_id(id), input_count(count), input_dtypes(std::move(dtypes)) {}
  };
  std::deque<Signatures> signatures;
  std::vector<std::int64_t> input_counts;  // that occur among them

  // nullptr where no row has that class.
  const Signatures* signature(std::int64_t input_count, const std::string& input_dtypes) const;
};

}  // namespace profdb
