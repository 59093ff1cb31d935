// Sorts more records than fit into memory: sorted runs in a temporary file, merged at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace profdb::importer {

// Records are bytes and come out in memcmp order. Takes no memory before the first record. Not for several
// threads at once.
class SortedRuns {
 public:
  // About `memory` bytes are used; what is more goes to a file that vanishes with the process.
  explicit SortedRuns(std::size_t memory) : memory_(memory) {}

  // Throws Error(database) where the temporary file cannot be written.
  void add(std::string_view record);

  // Calls `use` for every record in order, then forgets them and their memory. Throws as add does, and what
  // `use` throws.
  void drain(const std::function<void(std::string_view)>& use);

 private:
  struct Entry {
    std::uint64_t prefix = 0;  // the first bytes as a number: most comparisons end there
    std::uint32_t offset = 0;  // into bytes_
    std::uint32_t size = 0;
  };
  struct Run {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  class RunReader;

  std::string_view record(const Entry& entry) const { return {bytes_.data() + entry.offset, entry.size}; }
  void sort();
  void spill();
  void merge(const std::function<void(std::string_view)>& use);
  void clear();

  std::size_t memory_;
  std::string bytes_;
  std::vector<Entry> entries_;
  std::vector<Run> runs_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace profdb::importer
