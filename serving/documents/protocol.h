// The protocol of a round: everything that the rules (docs/acceptance-protocol.md) take as a parameter.
// Nothing of it is hard-coded; other levels, lengths and limits are other protocols, and their results are
// never compared.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace profdb::serving {

// How the accuracy of a version is measured and judged (acceptance-protocol §5).
struct AccuracyProtocol {
  std::string dataset;
  std::string dataset_revision;
  std::string scorer;
  std::string scorer_revision;
  std::string prompt;          // name of the prompt template
  std::int64_t questions = 0;  // in the data set
  std::int64_t sample = 0;     // sorted(random.Random(seed).sample(range(questions), sample))
  std::int64_t seed = 0;
  std::string selection_sha256;  // of the selected indices, a line each
  std::int64_t correct_at_least = 0;
  std::int64_t concurrency = 0;
  std::int64_t warmup_requests = 0;
  std::int64_t max_output_tokens = 0;
  nlohmann::ordered_json settings;  // sampling and chat template settings, compared as they stand
};

struct Protocol {
  std::string name;
  std::string version;
  std::vector<std::int64_t> levels;  // concurrency, rising
  std::int64_t input_tokens = 0;
  std::int64_t warmup_output_tokens = 0;
  std::int64_t measured_output_tokens = 0;
  double limit_ms_per_token = 0;
  double threshold_floor = 0;  // a fraction
  std::string rank_header;
  std::int64_t rank_modulus = 0;  // the header's value is slot mod this
  std::string path;               // of the endpoint, "/v1/completions"
  nlohmann::ordered_json body;    // members that every request's body has, with these values
  double http_timeout_s = 0;
  double barrier_timeout_s = 0;
  double barrier_spread_ms = 0;  // between the first and the last start_ns of a level's measured requests
  AccuracyProtocol accuracy;

  bool has_level(std::int64_t level) const;
  // The output length that a request of the phase asks for.
  std::int64_t output_tokens(bool measured) const {
    return measured ? measured_output_tokens : warmup_output_tokens;
  }
};

// Reads a protocol document (`serving/protocols/default.yaml` as JSON). Throws FieldError.
Protocol parse_protocol(const nlohmann::ordered_json& document);

}  // namespace profdb::serving
