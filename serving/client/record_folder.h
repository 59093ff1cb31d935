// The folder of one service run's evidence: requests.jsonl, and the raw bytes of every response under raw/.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "serving/client/request_plan.h"
#include "serving/documents/request_record.h"
#include "serving/stream/completion_stream.h"

namespace profdb::serving {

// Adds records to a folder; what is there is never changed. One process at a time has it (a lock on the
// record file keeps others out); its threads may add at the same time.
class RecordFolder {
 public:
  // Makes the folder where it is absent. Throws Error(input) where it cannot be made or written, holds the
  // records of another round, run or service, or is in use by another process.
  RecordFolder(std::filesystem::path folder, const RunIdentity& identity);
  ~RecordFolder();
  RecordFolder(const RecordFolder&) = delete;
  RecordFolder& operator=(const RecordFolder&) = delete;

  // The attempt that a level's next run is: from 1.
  std::int64_t next_attempt(std::int64_t level) const;

  // Writes the raw bytes and their arrival times (where any arrived), names them in the record, and appends
  // the record as one line. Throws Error(input) where something cannot be written.
  void add(RequestRecord& record, std::string_view body, const std::vector<Arrival>& arrivals);

  std::filesystem::path record_file() const { return folder_ / "requests.jsonl"; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  void read_existing(const RunIdentity& identity);

  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  int file_ = -1;
  std::map<std::int64_t, std::int64_t> last_attempt_;  // per level
};

}  // namespace profdb::serving
