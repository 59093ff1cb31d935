// Ties a request record to its raw bytes: fills in what they say, and finds where a record says something
// else.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "serving/documents/request_record.h"
#include "serving/stream/completion_stream.h"

namespace profdb::serving {

// The arrivals file: lines "T_NS TOTAL_BYTES\n" (request_record.h).
std::string format_arrivals(const std::vector<Arrival>& arrivals);
// Throws Error(input) for anything else, with the line.
std::vector<Arrival> parse_arrivals(std::string_view text);

// Sets what the body decides: frames, done, usage, cached_tokens, and, of a status that is still ok, whether
// it stays so. A response that is not HTTP 200 holds no completion: nothing of its body is taken. Throws
// Error(input) where the arrivals do not fit the body.
void take_response(RequestRecord& record, std::string_view body, const std::vector<Arrival>& arrivals);

// What in a record is not what its raw bytes and their arrival times give, a sentence each, naming the field;
// nothing where all of it is. Compares frames, done, usage, cached_tokens and status, and that the bytes
// arrived between start_ns and end_ns.
std::vector<std::string> differences(const RequestRecord& record, std::string_view body,
                                     const std::vector<Arrival>& arrivals);

// The same with the files that the record names, relative to `folder`; digests and sizes of the files, too. A
// file that is absent or damaged is a difference.
std::vector<std::string> check_evidence(const RequestRecord& record, const std::filesystem::path& folder);

// What, as the client sees it, keeps a record from being valid evidence of a request for `output_tokens`
// tokens; a sentence each. The protocol's validity checks are stricter.
std::vector<std::string> complaints(const RequestRecord& record, std::int64_t output_tokens);

}  // namespace profdb::serving
