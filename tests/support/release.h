// Temporary folders, and releases imported for one test.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "importer/import.h"
#include "profdb/engine.h"

namespace profdb::test {

// A fresh folder that goes with the test.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

void write_file(const std::filesystem::path& path, const std::string& text);
std::string read_file(const std::filesystem::path& path);

// An identity for releases of tests: TEST_NPU/synthetic/<version>.
importer::Identity test_identity(const std::string& version = "1.0");

// Imports a folder into `database` under test_identity().
importer::ImportReport import_folder(const std::filesystem::path& folder,
                                     const std::filesystem::path& database);

// The standard header of a kernel CSV, with the given latency columns after it.
std::string csv_header(const std::string& latency_columns = "Average Duration(us)");

// One row: input shapes, dtypes and formats; outputs; the cells of the latency and further columns. A cell
// with a comma is quoted.
std::string csv_row(const std::string& in_shapes, const std::string& in_dtypes, const std::string& in_formats,
                    const std::string& out_shapes, const std::string& out_dtypes,
                    const std::string& out_formats, const std::vector<std::string>& rest);

// A release of CSV texts and a mapping, imported into a database in a temporary folder.
class TestRelease {
 public:
  // `files`: name -> text; `mapping`: YAML.
  TestRelease(const std::vector<std::pair<std::string, std::string>>& files, const std::string& mapping);
  Result lookup(const std::string& leaf_json, EngineOptions options = {}) const;
  std::string database() const { return (folder_ / "test.db").string(); }
  const importer::ImportReport& report() const { return report_; }
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  TempFolder folder_;
  importer::ImportReport report_;
};

}  // namespace profdb::test
