// Files of evidence into the tables of a round.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace profdb::serving {

struct EvidenceFiles {
  std::string round;
  std::vector<std::filesystem::path> services;   // service files, before their records
  std::vector<std::filesystem::path> stops;      // when services stopped
  std::vector<std::filesystem::path> records;    // JSONL, one run in a file
  std::vector<std::filesystem::path> accuracy;   // at most one: the accuracy run's document
  std::vector<std::filesystem::path> answers;    // at most one: JSONL, the scorer's results
  std::vector<std::filesystem::path> functions;  // functional checks
  std::vector<std::filesystem::path> ledgers;    // JSONL, time ledger events
  std::vector<std::filesystem::path> artifacts;  // any other file that shall be part of the archive
};

// One file's part of an import.
struct ImportedFile {
  std::string kind;
  std::string path;
  std::string sha256;
  std::int64_t added = 0;  // rows
  std::int64_t total = 0;  // rows that the file stands for now
  bool unchanged = false;  // the same bytes as before
};

// Everything or nothing. Records are only ever added: a file that was imported before may have grown, but its
// first lines are the same. Nothing is added to a sealed run. Throws Error(input) with file, line and field.
std::vector<ImportedFile> import_evidence(const std::filesystem::path& database, const EvidenceFiles& files);

}  // namespace profdb::serving
