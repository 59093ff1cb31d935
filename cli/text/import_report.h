// What an import, or a new mapping, did: as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "importer/import.h"

namespace profdb::cli {

// Which release, what became of it, its files, and the totals. Warnings are not part of it.
std::string import_text(const importer::ImportReport& report);

// A table of files, and the totals under it; empty for no files.
std::string files_text(const std::vector<importer::FileReport>& files);

// "DEVICE/FRAMEWORK/VERSION (torch 2.9.0, CANN 8.5)"
std::string identity_text(const importer::Identity& identity);

nlohmann::ordered_json to_json(const importer::ImportReport& report);

}  // namespace profdb::cli
