// A small release in versions: every latency of version V is V times that of version 1, so that an answer
// tells the version that it comes from, and a mixture of two shows as neither.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "importer/import.h"
#include "profdb/engine.h"

namespace profdb::test {

// Writes the folder: MatMulV2 with M = 100, 200, ... 100 * `points` at K 64, N 32, and as many rows of Add.
void write_versioned_release(const std::filesystem::path& folder, int version, int points = 200);

// Its mapping: aten.mm.default runs as MatMulV2, aten.add.Tensor as Add.
std::string versioned_mapping();

// Imports the folder under test_identity(framework_version); replaces what is there if `replace`.
importer::ImportReport import_version(const std::filesystem::path& folder,
                                      const std::filesystem::path& database, bool replace,
                                      const std::string& framework_version = "1.0");

// The matrix multiplication of M rows. In version V it takes V * M / 10 us, measured for multiples of 100 and
// interpolated between them.
std::string matmul_leaf(int m);
// The addition of two M x 16 tensors, measured likewise.
std::string add_leaf(int m);

// The version that a hit's latency belongs to, or nothing where it belongs to none or the lookup missed.
std::optional<int> version_of(const Result& result, int m);

// The version that every lookup of the release answers with; 0 where they disagree.
int answered_version(const std::filesystem::path& database, const std::string& release = "");

// The content digest of a release of test_identity(framework_version); empty where there is none.
std::string digest_of(const std::filesystem::path& database, const std::string& framework_version = "1.0");

// Everything that verify finds, one per line; empty where all is well.
std::string findings(const std::filesystem::path& database);

}  // namespace profdb::test
