// External merge sort of byte records.
#include "importer/write/sorted_runs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <queue>
#include <system_error>

#include "profdb/error.h"

namespace profdb::importer {

namespace {

constexpr std::size_t kRunPieceBytes = std::size_t{64} * 1024;  // read of a run at a time
using Length = std::uint32_t;                                   // in front of each record in the file

[[noreturn]] void fail(const char* what) {
  throw Error(ErrorKind::database,
              fmt::format("a temporary file cannot be {}: {}; make room for temporary files, or name another "
                          "folder for them with TMPDIR",
                          what, std::generic_category().message(errno)));
}

// std::tmpfile, but in the folder that TMPDIR names.
std::FILE* open_temporary() {
  const char* named = std::getenv("TMPDIR");
  if (named == nullptr || *named == '\0') return std::tmpfile();
  std::string path = std::string(named) + "/profdb-XXXXXX";
  const int descriptor = mkstemp(path.data());
  if (descriptor < 0) return nullptr;
  unlink(path.c_str());
  std::FILE* const file = fdopen(descriptor, "w+b");
  if (file == nullptr) close(descriptor);
  return file;
}

std::uint64_t prefix_of(std::string_view record) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < sizeof(prefix); ++i)
    prefix = prefix << 8 | (i < record.size() ? static_cast<unsigned char>(record[i]) : 0U);
  return prefix;
}

}  // namespace

// The records of one run, read piece by piece.
class SortedRuns::RunReader {
 public:
  RunReader(std::FILE* file, const Run& run) : file_(file), at_(run.begin), end_(run.end) {}

  // False once the run is used up.
  bool next() {
    Length size = 0;
    if (!have(sizeof(size))) return false;
    std::memcpy(&size, buffer_.data() + used_, sizeof(size));
    have(sizeof(size) + size);
    record_ = {buffer_.data() + used_ + sizeof(size), size};
    used_ += sizeof(size) + size;
    return true;
  }
  std::string_view record() const { return record_; }

 private:
  // Makes sure that `size` unused bytes are in the buffer; false where the run has no more.
  bool have(std::size_t size) {
    if (buffer_.size() - used_ >= size) return true;
    buffer_.erase(0, used_);
    used_ = 0;
    const std::size_t kept = buffer_.size();
    const auto wanted = std::min(std::max(kRunPieceBytes, size) - kept, static_cast<std::size_t>(end_ - at_));
    buffer_.resize(kept + wanted);
    for (std::size_t got = 0; got < wanted;) {
      const ssize_t n = pread(fileno(file_), buffer_.data() + kept + got, wanted - got, at_);
      if (n < 0 && errno == EINTR) continue;
      if (n == 0) errno = EIO;  // shorter than it was written
      if (n <= 0) fail("read");
      got += static_cast<std::size_t>(n);
      at_ += n;
    }
    return buffer_.size() >= size;
  }

  std::FILE* file_;
  std::int64_t at_;
  std::int64_t end_;
  std::string buffer_;
  std::size_t used_ = 0;
  std::string_view record_;
};

void SortedRuns::add(std::string_view record) {
  const std::size_t memory = bytes_.size() + record.size() + (entries_.size() + 1) * sizeof(Entry);
  if (!entries_.empty() && memory > memory_) spill();
  entries_.push_back({prefix_of(record), static_cast<std::uint32_t>(bytes_.size()),
                      static_cast<std::uint32_t>(record.size())});
  bytes_.append(record);
}

void SortedRuns::sort() {
  const auto less = [this](const Entry& a, const Entry& b) {
    return a.prefix != b.prefix ? a.prefix < b.prefix : record(a) < record(b);
  };
  // What was measured in order comes in order.
  if (!std::is_sorted(entries_.begin(), entries_.end(), less))
    std::sort(entries_.begin(), entries_.end(), less);
}

void SortedRuns::spill() {
  if (!file_) file_.reset(open_temporary());
  if (!file_) fail("created");
  sort();
  Run run;
  run.begin = run.end = runs_.empty() ? 0 : runs_.back().end;
  for (const Entry& entry : entries_) {
    const Length size = entry.size;
    if (std::fwrite(&size, sizeof(size), 1, file_.get()) != 1 ||
        std::fwrite(bytes_.data() + entry.offset, 1, size, file_.get()) != size)
      fail("written");
    run.end += static_cast<std::int64_t>(sizeof(size)) + size;
  }
  if (std::fflush(file_.get()) != 0) fail("written");
  runs_.push_back(run);
  entries_.clear();
  bytes_.clear();
}

void SortedRuns::merge(const std::function<void(std::string_view)>& use) {
  std::vector<RunReader> readers;
  readers.reserve(runs_.size());
  for (const Run& run : runs_) readers.emplace_back(file_.get(), run);
  const auto later = [](const RunReader* a, const RunReader* b) { return a->record() > b->record(); };
  std::priority_queue<RunReader*, std::vector<RunReader*>, decltype(later)> queue(later);
  for (RunReader& reader : readers)
    if (reader.next()) queue.push(&reader);
  while (!queue.empty()) {
    RunReader* const first = queue.top();
    queue.pop();
    use(first->record());
    if (first->next()) queue.push(first);
  }
}

void SortedRuns::drain(const std::function<void(std::string_view)>& use) {
  if (runs_.empty()) {
    sort();
    for (const Entry& entry : entries_) use(record(entry));
  } else {
    if (!entries_.empty()) spill();
    std::string().swap(bytes_);
    std::vector<Entry>().swap(entries_);
    merge(use);
  }
  clear();
}

void SortedRuns::clear() {
  std::string().swap(bytes_);
  std::vector<Entry>().swap(entries_);
  runs_.clear();
  file_.reset();
}

}  // namespace profdb::importer
