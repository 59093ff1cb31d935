// Brings a release folder, or single CSV files, into a database: whole, or not at all (formats §1).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/mapping.h"
#include "profdb/engine.h"

namespace profdb::importer {

// Which release the data belongs to. Flags win over the mapping, the mapping over the folder name.
struct Identity {
  std::string device;
  std::string framework;
  std::string framework_version;
  std::string torch_version;
  std::string cann_version;
};

struct ImportOptions {
  std::filesystem::path database;
  std::vector<std::filesystem::path> sources;       // one folder, or CSV files
  std::optional<std::filesystem::path> mapping;     // else op_mapping.yaml in the folder
  Identity identity;                                // what the flags say; empty members are not said
  std::map<std::string, std::string> kernel_alias;  // file stem -> kernel
  bool replace = false;     // let the new bytes take the place of a release of the same identity
  bool dry_run = false;     // do everything, then roll back; a database that is not there is not made
  bool keep_going = false;  // leave out files that cannot be read, and record them
  // Called now and then with the bytes read so far and in all. May be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

struct FileReport {
  std::string path;  // as in source_file.path
  std::string kernel;
  std::int64_t row_count = 0;
  std::int64_t taken_rows = 0;
  std::int64_t unusable_rows = 0;
  std::int64_t rejected_rows = 0;
  std::map<std::string, std::int64_t> reasons;  // of unusable and rejected rows
  std::string failure;                          // why the file was left out (keep_going)
};

struct ImportReport {
  enum class Outcome { imported, replaced, unchanged };  // unchanged: the same bytes are there already
  Outcome outcome = Outcome::imported;
  std::int64_t release_id = 0;  // 0 after a dry run that would have made one
  Identity identity;
  std::vector<FileReport> files;
  std::vector<std::string> warnings;
  bool dry_run = false;
};

// Imports in one transaction. Throws Error: usage for an identity that is not complete, for changed bytes
// without `replace`, for no source; input for sources, mapping or CSVs that cannot be read (all of them are
// named); database for the database. In every case the database is as it was.
ImportReport import_release(const ImportOptions& options);

// Puts another mapping in force for a release and projects its rows afresh, in one transaction. Measurements
// are not touched. Throws Error as import_release does.
ImportReport set_mapping(const std::filesystem::path& database, const std::string& release,
                         const std::filesystem::path& mapping);

}  // namespace profdb::importer
