// Releases made for tests.
#include "tests/support/release.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace profdb::test {
namespace fs = std::filesystem;

TempFolder::TempFolder() {
  static std::atomic<int> counter{0};
  path_ = fs::path(testing::TempDir()) /
          ("profdb_test_" + std::to_string(getpid()) + "_" + std::to_string(counter++));
  fs::remove_all(path_);
  fs::create_directories(path_);
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path.string());
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

importer::Identity test_identity(const std::string& version) {
  return {"TEST_NPU", "synthetic", version, "2.0", "8.0"};
}

importer::ImportReport import_folder(const fs::path& folder, const fs::path& database) {
  importer::ImportOptions options;
  options.database = database;
  options.sources = {folder};
  options.identity = test_identity();
  return importer::import_release(options);
}

std::string csv_header(const std::string& latency_columns) {
  return "OP State,Accelerator Core,Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data "
         "Types,Output "
         "Formats," +
         latency_columns + "\n";
}

std::string csv_row(const std::string& in_shapes, const std::string& in_dtypes, const std::string& in_formats,
                    const std::string& out_shapes, const std::string& out_dtypes,
                    const std::string& out_formats, const std::vector<std::string>& rest) {
  std::string row = "dynamic,AI_CORE";
  const auto add = [&](const std::string& cell) {
    row += ',';
    row += cell.find(',') == std::string::npos ? cell : "\"" + cell + "\"";
  };
  for (const auto& cell : {in_shapes, in_dtypes, in_formats, out_shapes, out_dtypes, out_formats}) add(cell);
  for (const auto& cell : rest) add(cell);
  return row + "\n";
}

TestRelease::TestRelease(const std::vector<std::pair<std::string, std::string>>& files,
                         const std::string& mapping) {
  for (const auto& [name, text] : files) write_file(folder_ / "release" / name, text);
  write_file(folder_ / "release" / "op_mapping.yaml", mapping);
  report_ = import_folder(folder_ / "release", folder_ / "test.db");
}

Result TestRelease::lookup(const std::string& leaf_json, EngineOptions options) const {
  const Engine engine(database(), std::move(options));
  return *engine.lookup(parse_leaf_op(leaf_json));
}

}  // namespace profdb::test
