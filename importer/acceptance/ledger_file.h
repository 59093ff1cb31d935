// Time ledgers as files: JSONL, only ever appended to.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/acceptance/ledger.h"

namespace profdb::importer::acceptance {

// The events of a file, in the order of their first lines; the lines of one event are merged. Throws
// Error(input).
std::vector<profdb::acceptance::LedgerEvent> load_ledger(const std::filesystem::path& path);

// Appends one line, whole or not at all. Throws Error(input) where it cannot be written.
void append_ledger(const std::filesystem::path& path, const profdb::acceptance::LedgerEvent& event);

}  // namespace profdb::importer::acceptance
