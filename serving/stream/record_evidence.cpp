// Records and their raw bytes.
#include "serving/stream/record_evidence.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <sstream>

#include "base/input/sha256.h"
#include "profdb/error.h"

namespace profdb::serving {
namespace {

Status status_of(StreamTrouble trouble) {
  switch (trouble) {
    case StreamTrouble::malformed:
      return Status::malformed;
    case StreamTrouble::server_error:
      return Status::stream_error;
    case StreamTrouble::none:
    case StreamTrouble::missing_done:  // the record's `done` says so
      break;
  }
  return Status::ok;
}

[[noreturn]] void bad_arrivals(std::size_t line) {
  throw Error(ErrorKind::input,
              fmt::format("line {} of the arrival times is not 'T_NS TOTAL_BYTES'; restore the file", line));
}

// One whole number from the front of `text`, and the character behind it.
template <class Number>
bool take_number(std::string_view& text, char behind, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() + text.size() || *end != behind) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return true;
}

std::string counted(const std::optional<std::int64_t>& number) {
  return number ? fmt::format("{}", *number) : "absent";
}

// Collects differences of one record.
class Comparison {
 public:
  template <class Value>
  void compare(std::string_view field, const Value& recorded, const Value& recomputed) {
    if (recorded != recomputed)
      found.push_back(
          fmt::format("{} is recorded as {}; the raw bytes give {}", field, recorded, recomputed));
  }

  void compare_frames(const RequestRecord& recorded, const RequestRecord& recomputed) {
    compare("the number of frames", recorded.frames.size(), recomputed.frames.size());
    const std::size_t both = std::min(recorded.frames.size(), recomputed.frames.size());
    for (std::size_t i = 0; i < both; ++i) {
      const auto& ours = recorded.frames[i];
      const auto& theirs = recomputed.frames[i];
      compare(fmt::format("frames[{}].t_ns", i), ours.t_ns, theirs.t_ns);
      compare(fmt::format("frames[{}].end_byte", i), ours.end_byte, theirs.end_byte);
      compare(fmt::format("frames[{}].token_ids", i), fmt::format("[{}]", fmt::join(ours.token_ids, ",")),
              fmt::format("[{}]", fmt::join(theirs.token_ids, ",")));
    }
  }

  std::vector<std::string> found;
};

// Whether the status is one that the body, and not the connection, decides.
bool body_decides(Status status) {
  return status == Status::ok || status == Status::malformed || status == Status::stream_error;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file.is_open() || file.bad())
    throw Error(ErrorKind::input, fmt::format("{} cannot be read; restore it", path.string()));
  return bytes.str();
}

// The bytes of a file that a record names; notes where they are not those that it names.
std::string read_reference(const std::optional<FileRef>& reference, std::string_view field,
                           const std::filesystem::path& folder, std::vector<std::string>& found) {
  if (!reference) return "";
  std::string bytes = read_file(folder / reference->path);
  Sha256 digest;
  digest.update(bytes);
  if (const std::string sha256 = digest.finish(); sha256 != reference->sha256)
    found.push_back(fmt::format("{} {} has the SHA-256 {}; the record names {}", field, reference->path,
                                sha256, reference->sha256));
  if (std::cmp_not_equal(bytes.size(), reference->bytes))
    found.push_back(fmt::format("{} {} has {} bytes; the record names {}", field, reference->path,
                                bytes.size(), reference->bytes));
  return bytes;
}

}  // namespace

std::string format_arrivals(const std::vector<Arrival>& arrivals) {
  std::string text;
  for (const Arrival& arrival : arrivals) text += fmt::format("{} {}\n", arrival.t_ns, arrival.end);
  return text;
}

std::vector<Arrival> parse_arrivals(std::string_view text) {
  std::vector<Arrival> arrivals;
  while (!text.empty()) {
    Arrival arrival;
    if (!take_number(text, ' ', arrival.t_ns) || !take_number(text, '\n', arrival.end))
      bad_arrivals(arrivals.size() + 1);
    arrivals.push_back(arrival);
  }
  return arrivals;
}

void take_response(RequestRecord& record, std::string_view body, const std::vector<Arrival>& arrivals) {
  const Completion completion = read_completion(body, arrivals);
  record.frames.clear();
  record.usage.reset();
  record.cached_tokens.reset();
  record.done = false;
  if (record.http_status != 200) return;
  for (const CompletionFrame& frame : completion.frames)
    record.frames.push_back({frame.t_ns, static_cast<std::int64_t>(frame.end_byte), frame.token_ids});
  record.done = completion.done;
  const CompletionUsage& usage = completion.usage;
  if (usage.prompt_tokens && usage.completion_tokens)
    record.usage = Usage{*usage.prompt_tokens, *usage.completion_tokens};
  record.cached_tokens = usage.cached_tokens;
  if (record.status != Status::ok) return;
  record.status = status_of(completion.trouble);
  record.error = record.status == Status::ok ? "" : completion.message;
}

std::vector<std::string> differences(const RequestRecord& record, std::string_view body,
                                     const std::vector<Arrival>& arrivals) {
  RequestRecord recomputed = record;
  if (body_decides(record.status)) recomputed.status = Status::ok;
  take_response(recomputed, body, arrivals);
  Comparison comparison;
  comparison.compare_frames(record, recomputed);
  comparison.compare("done", record.done, recomputed.done);
  const auto usage = [](const RequestRecord& of) {
    return of.usage ? fmt::format("{} + {} tokens", of.usage->prompt_tokens, of.usage->completion_tokens)
                    : std::string("absent");
  };
  comparison.compare("usage", usage(record), usage(recomputed));
  comparison.compare("cached_tokens", counted(record.cached_tokens), counted(recomputed.cached_tokens));
  comparison.compare("status", std::string_view(to_string(record.status)),
                     std::string_view(to_string(recomputed.status)));
  if (!arrivals.empty() && arrivals.front().t_ns < record.start_ns)
    comparison.found.push_back(fmt::format("start_ns {} is later than the first bytes, which arrived at {}",
                                           record.start_ns, arrivals.front().t_ns));
  if (!arrivals.empty() && arrivals.back().t_ns > record.end_ns)
    comparison.found.push_back(fmt::format("end_ns {} is earlier than the last bytes, which arrived at {}",
                                           record.end_ns, arrivals.back().t_ns));
  return comparison.found;
}

std::vector<std::string> check_evidence(const RequestRecord& record, const std::filesystem::path& folder) {
  std::vector<std::string> found;
  try {
    const std::string body = read_reference(record.raw, "raw", folder, found);
    const std::string times = read_reference(record.arrivals, "arrivals", folder, found);
    const std::vector<std::string> derived = differences(record, body, parse_arrivals(times));
    found.insert(found.end(), derived.begin(), derived.end());
  } catch (const Error& e) {
    found.emplace_back(e.what());
  }
  return found;
}

std::vector<std::string> complaints(const RequestRecord& record, std::int64_t output_tokens) {
  std::vector<std::string> found;
  if (record.status != Status::ok) {
    found.push_back(fmt::format("{}: {}", to_string(record.status), record.error));
    return found;
  }
  if (!record.done) found.emplace_back("the stream ended without [DONE]");
  if (record.output_tokens() != output_tokens)
    found.push_back(
        fmt::format("{} generated token ids, {} were asked for", record.output_tokens(), output_tokens));
  if (!record.usage)
    found.emplace_back("the service reported no usage");
  else if (record.usage->completion_tokens != record.output_tokens() ||
           record.usage->prompt_tokens != record.prompt_tokens)
    found.push_back(fmt::format("usage counts {} + {} tokens, the request had {} + {}",
                                record.usage->prompt_tokens, record.usage->completion_tokens,
                                record.prompt_tokens, record.output_tokens()));
  if (!record.cached_tokens)
    found.emplace_back("the service did not report cached_tokens");
  else if (*record.cached_tokens != 0)
    found.push_back(fmt::format("{} prompt tokens came from the cache", *record.cached_tokens));
  return found;
}

}  // namespace profdb::serving
