// Reads a kernel CSV and prepares its rows on one thread while another one stores them.
#pragma once

#include <cstdint>
#include <functional>

#include "importer/file_import.h"
#include "importer/read/csv.h"

namespace profdb::importer {

// Reads `path` into `into`, which is used by the calling thread only, except for begin(). `progress` is
// called now and then, by the calling thread, with the bytes that are stored. Throws what read_csv and `into`
// throw; the reading has then ended.
CsvSummary read_prepared(const std::filesystem::path& path, FileImport& into,
                         const std::function<void(std::uint64_t bytes)>& progress);

}  // namespace profdb::importer
