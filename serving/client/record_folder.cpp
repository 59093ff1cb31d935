// Files of evidence: written once, appended to, never overwritten.
#include "serving/client/record_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "base/input/sha256.h"
#include "profdb/error.h"
#include "serving/stream/record_evidence.h"

namespace profdb::serving {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const char* what) {
  const std::error_code reason(errno, std::generic_category());
  throw Error(ErrorKind::input, fmt::format("{} cannot be {}: {}; name another folder, or make room",
                                            path.string(), what, reason.message()));
}

void write_all(int file, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(path, "written");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Writes a file that must not exist yet; what a record says of it.
FileRef write_new(const fs::path& folder, const std::string& name, std::string_view bytes) {
  const fs::path path = folder / name;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) fail(path, "made");
  try {
    write_all(file, bytes, path);
  } catch (...) {
    close(file);
    throw;
  }
  if (close(file) != 0) fail(path, "written");
  Sha256 digest;
  digest.update(bytes);
  return {name, digest.finish(), static_cast<std::int64_t>(bytes.size())};
}

// Unique even where an earlier process wrote the files and ended before the record: the salt's end is random.
std::string file_stem(const RequestRecord& record) {
  const std::string& salt = record.cache_salt;
  return fmt::format("raw/C{}-{}-slot{}-attempt{}-{}", record.level, to_string(record.phase), record.slot,
                     record.attempt, salt.substr(salt.size() - std::min<std::size_t>(salt.size(), 8)));
}

}  // namespace

RecordFolder::RecordFolder(fs::path folder, const RunIdentity& identity) : folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(folder_ / "raw", error);
  if (error)
    throw Error(ErrorKind::input, fmt::format("{} cannot be made: {}; name another folder",
                                              (folder_ / "raw").string(), error.message()));
  file_ = open(record_file().c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) fail(record_file(), "opened");
  try {
    if (flock(file_, LOCK_EX | LOCK_NB) != 0)
      throw Error(ErrorKind::input, fmt::format("{} is in use by another run; wait for its end, or name "
                                                "another folder",
                                                record_file().string()));
    read_existing(identity);
  } catch (...) {
    close(file_);
    throw;
  }
}

RecordFolder::~RecordFolder() {
  fsync(file_);
  close(file_);
}

void RecordFolder::read_existing(const RunIdentity& identity) {
  std::ifstream lines(record_file());
  RequestRecordParser parser;
  std::string line;
  for (std::int64_t number = 1; std::getline(lines, line); ++number) {
    const auto where = [&] { return fmt::format("{}, line {}", record_file().string(), number); };
    RequestRecord record;
    try {
      record = parser.parse(line);
    } catch (const Error& e) {
      throw Error(ErrorKind::input, fmt::format("{}: {}; name another folder", where(), e.what()));
    }
    if (record.round != identity.round || record.run != identity.run || record.service != identity.service)
      throw Error(
          ErrorKind::input,
          fmt::format("{} is of round '{}', run '{}', service '{}'; every run has a folder of its own: "
                      "name another",
                      where(), record.round, record.run, record.service));
    std::int64_t& last = last_attempt_[record.level];
    last = std::max(last, record.attempt);
  }
}

std::int64_t RecordFolder::next_attempt(std::int64_t level) const {
  const std::scoped_lock lock(mutex_);
  const auto it = last_attempt_.find(level);
  return it == last_attempt_.end() ? 1 : it->second + 1;
}

void RecordFolder::add(RequestRecord& record, std::string_view body, const std::vector<Arrival>& arrivals) {
  if (!body.empty()) {
    const std::string stem = file_stem(record);
    record.raw = write_new(folder_, stem + ".sse", body);
    record.arrivals = write_new(folder_, stem + ".arrivals", format_arrivals(arrivals));
  }
  const std::string line =
      to_json(record).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
  const std::scoped_lock lock(mutex_);
  write_all(file_, line, record_file());
  std::int64_t& last = last_attempt_[record.level];
  last = std::max(last, record.attempt);
}

}  // namespace profdb::serving
