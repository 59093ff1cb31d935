// Time ledgers as files: JSONL, only ever appended to.
#pragma once

#include <filesystem>
#include <vector>

#include "serving/rules/ledger.h"

namespace profdb::serving {

// The events of a file, in the order of their first lines; the lines of one event are merged. Throws
// Error(input).
std::vector<LedgerEvent> load_ledger(const std::filesystem::path& path);

// Appends one line, whole or not at all. Throws Error(input) where it cannot be written.
void append_ledger(const std::filesystem::path& path, const LedgerEvent& event);

}  // namespace profdb::serving
