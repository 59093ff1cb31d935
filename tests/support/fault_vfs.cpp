// The shim: every method goes to the file of the VFS below; those that change files ask the plan first.
#include "tests/support/fault_vfs.h"

#include <sqlite3.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <new>
#include <stdexcept>

namespace profdb::test {
namespace {

struct Plan {
  Fault fault = Fault::none;
  std::uint64_t at = 0;
  std::atomic<std::uint64_t> changes{0};
  std::atomic<bool> struck{false};
};
Plan plan;
sqlite3_vfs* below = nullptr;
sqlite3_vfs shim;

// SQLite allocates szOsFile bytes per file: this, then the file of the VFS below.
struct File {
  sqlite3_file base;
  sqlite3_file* real;
};

sqlite3_file* real_of(sqlite3_file* file) {
  return reinterpret_cast<File*>(file)->real;
}

enum class Change { write, sync, truncate };

// Counts a change; whether it is to fail.
bool strikes(Change change) {
  const std::uint64_t number = ++plan.changes;
  if (plan.fault == Fault::none || plan.at == 0 || number < plan.at) return false;
  if (plan.fault == Fault::disk_full && change != Change::write) return false;
  if ((plan.fault == Fault::io_error_once || plan.fault == Fault::kill) && number != plan.at) return false;
  plan.struck = true;
  return true;
}

int on_close(sqlite3_file* file) {
  return real_of(file)->pMethods->xClose(real_of(file));
}
int on_read(sqlite3_file* file, void* to, int size, sqlite3_int64 offset) {
  return real_of(file)->pMethods->xRead(real_of(file), to, size, offset);
}
int on_write(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
  sqlite3_file* real = real_of(file);
  if (!strikes(Change::write)) return real->pMethods->xWrite(real, from, size, offset);
  if (plan.fault == Fault::kill) {
    real->pMethods->xWrite(real, from, size / 2, offset);
    raise(SIGKILL);
  }
  return plan.fault == Fault::disk_full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}
int on_truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (!strikes(Change::truncate)) return real_of(file)->pMethods->xTruncate(real_of(file), size);
  if (plan.fault == Fault::kill) raise(SIGKILL);
  return SQLITE_IOERR_TRUNCATE;
}
int on_sync(sqlite3_file* file, int flags) {
  if (!strikes(Change::sync)) return real_of(file)->pMethods->xSync(real_of(file), flags);
  if (plan.fault == Fault::kill) raise(SIGKILL);
  return SQLITE_IOERR_FSYNC;
}
int on_file_size(sqlite3_file* file, sqlite3_int64* size) {
  return real_of(file)->pMethods->xFileSize(real_of(file), size);
}
int on_lock(sqlite3_file* file, int lock) {
  return real_of(file)->pMethods->xLock(real_of(file), lock);
}
int on_unlock(sqlite3_file* file, int lock) {
  return real_of(file)->pMethods->xUnlock(real_of(file), lock);
}
int on_check_lock(sqlite3_file* file, int* result) {
  return real_of(file)->pMethods->xCheckReservedLock(real_of(file), result);
}
int on_control(sqlite3_file* file, int op, void* argument) {
  return real_of(file)->pMethods->xFileControl(real_of(file), op, argument);
}
int on_sector_size(sqlite3_file* file) {
  return real_of(file)->pMethods->xSectorSize(real_of(file));
}
int on_characteristics(sqlite3_file* file) {
  return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}
int on_shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** to) {
  return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, to);
}
int on_shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}
void on_shm_barrier(sqlite3_file* file) {
  real_of(file)->pMethods->xShmBarrier(real_of(file));
}
int on_shm_unmap(sqlite3_file* file, int remove) {
  return real_of(file)->pMethods->xShmUnmap(real_of(file), remove);
}

// Version 2: no memory-mapped reads, which the shim has no need to see.
const sqlite3_io_methods kMethods = {2,
                                     on_close,
                                     on_read,
                                     on_write,
                                     on_truncate,
                                     on_sync,
                                     on_file_size,
                                     on_lock,
                                     on_unlock,
                                     on_check_lock,
                                     on_control,
                                     on_sector_size,
                                     on_characteristics,
                                     on_shm_map,
                                     on_shm_lock,
                                     on_shm_barrier,
                                     on_shm_unmap,
                                     nullptr,
                                     nullptr};

int on_open(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  auto* ours = new (file) File{};
  ours->real = reinterpret_cast<sqlite3_file*>(ours + 1);
  const int code = below->xOpen(below, name, ours->real, flags, out_flags);
  // Without methods SQLite does not close the file.
  ours->base.pMethods = code == SQLITE_OK ? &kMethods : nullptr;
  return code;
}

}  // namespace

FaultVfs::FaultVfs(Fault fault, std::uint64_t at) {
  if (below != nullptr) throw std::logic_error("one FaultVfs at a time");
  below = sqlite3_vfs_find(nullptr);
  if (below == nullptr) throw std::runtime_error("SQLite has no default VFS");
  shim = *below;
  shim.zName = "profdb_fault";
  shim.szOsFile = static_cast<int>(sizeof(File)) + below->szOsFile;
  shim.pNext = nullptr;
  shim.xOpen = on_open;
  plan.fault = fault;
  plan.at = at;
  plan.changes = 0;
  plan.struck = false;
  sqlite3_vfs_register(&shim, 1);
}

FaultVfs::~FaultVfs() {
  sqlite3_vfs_unregister(&shim);
  sqlite3_vfs_register(below, 1);
  below = nullptr;
}

std::uint64_t FaultVfs::changes() const {
  return plan.changes;
}
bool FaultVfs::struck() const {
  return plan.struck;
}

}  // namespace profdb::test
