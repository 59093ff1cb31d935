// Writing versioned releases and telling versions apart.
#include "tests/support/fault_release.h"

#include <fmt/format.h>

#include "tests/support/release.h"
#include "tests/support/verify.h"

namespace profdb::test {
namespace fs = std::filesystem;

std::string versioned_mapping() {
  return "operator_mappings:\n"
         "  aten.mm.default: {kernel_type: MatMulV2}\n"
         "  aten.add.Tensor: {kernel_type: Add}\n";
}

void write_versioned_release(const fs::path& folder, int version, int points) {
  std::string matmul = csv_header();
  std::string add = csv_header();
  for (int m = 100; m <= 100 * points; m += 100) {
    const std::string latency = std::to_string(version * m / 10);
    matmul += csv_row(fmt::format("{},64;32,64", m), "DT_BF16;DT_BF16", "ND;ND", fmt::format("{},32", m),
                      "DT_BF16", "ND", {latency});
    add += csv_row(fmt::format("{0},16;{0},16", m), "DT_BF16;DT_BF16", "ND;ND", fmt::format("{},16", m),
                   "DT_BF16", "ND", {latency});
  }
  write_file(folder / "MatMulV2.csv", matmul);
  write_file(folder / "Add.csv", add);
  write_file(folder / "op_mapping.yaml", versioned_mapping());
}

importer::ImportReport import_version(const fs::path& folder, const fs::path& database, bool replace,
                                      const std::string& framework_version) {
  importer::ImportOptions options;
  options.database = database;
  options.sources = {folder};
  options.identity = test_identity(framework_version);
  options.replace = replace;
  return importer::import_release(options);
}

std::string matmul_leaf(int m) {
  return fmt::format(
      R"({{"op": "aten.mm.default", "inputs": [{{"shape": [{0}, 64], "dtype": "bfloat16"}},)"
      R"({{"shape": [64, 32], "dtype": "bfloat16"}}], "outputs": [{{"shape": [{0}, 32], "dtype": "bfloat16"}}]}})",
      m);
}

std::string add_leaf(int m) {
  return fmt::format(
      R"({{"op": "aten.add.Tensor", "inputs": [{{"shape": [{0}, 16], "dtype": "bfloat16"}},)"
      R"({{"shape": [{0}, 16], "dtype": "bfloat16"}}], "outputs": [{{"shape": [{0}, 16], "dtype": "bfloat16"}}]}})",
      m);
}

std::optional<int> version_of(const Result& result, int m) {
  if (!result.hit()) return std::nullopt;
  const double version = result.latency_us / (m / 10.0);
  if (version < 1 || version != static_cast<int>(version)) return std::nullopt;
  return static_cast<int>(version);
}

int answered_version(const fs::path& database, const std::string& release) {
  EngineOptions options;
  options.release = release;
  const Engine engine(database, options);
  std::optional<int> version;
  for (const int m : {100, 200, 300}) {
    const auto measured = version_of(*engine.lookup(parse_leaf_op(matmul_leaf(m))), m);
    const auto between = version_of(*engine.lookup(parse_leaf_op(matmul_leaf(m + 50))), m + 50);
    const auto added = version_of(*engine.lookup(parse_leaf_op(add_leaf(m))), m);
    if (!version) version = measured;
    if (!version || measured != version || between != version || added != version) return 0;
  }
  return *version;
}

std::string digest_of(const fs::path& database, const std::string& framework_version) {
  for (const ReleaseInfo& info : list_releases(database))
    if (info.framework_version == framework_version) return info.content_digest;
  return "";
}

std::string findings(const fs::path& database) {
  std::string text;
  for (const Finding& finding : test::verify(database)) text += finding.check + ": " + finding.problem + "\n";
  return text;
}

}  // namespace profdb::test
