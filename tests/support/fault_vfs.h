// A VFS before SQLite's own that counts changes to files, and fails or ends the process at a chosen one.
#pragma once

#include <cstdint>

namespace profdb::test {

enum class Fault {
  none,           // count only
  disk_full,      // every write from the chosen change on fails with SQLITE_FULL
  io_error,       // every write, sync and truncation from the chosen change on fails with SQLITE_IOERR
  io_error_once,  // only the chosen one does
  kill,           // the process gets SIGKILL, with half of the write on disk
};

// SQLite's default VFS while it lives; connections opened meanwhile must be closed before it goes. One at a
// time.
class FaultVfs {
 public:
  // `at` counts changes (writes, syncs, truncations) from 1.
  explicit FaultVfs(Fault fault = Fault::none, std::uint64_t at = 0);
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  std::uint64_t changes() const;  // asked for so far, the failed ones among them
  bool struck() const;            // whether the fault has come
};

// The points of a run to disturb: all of the first ones, then fewer and fewer.
inline std::uint64_t next_point(std::uint64_t at) {
  return at + 1 + at / 12;
}

}  // namespace profdb::test
