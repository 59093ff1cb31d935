// The report of a round (spec §7), as one document from which HTML, Markdown and JSON are made.
#pragma once

#include <string>

#include "engine/report/document.h"
#include "engine/store/database.h"

namespace profdb::importer::acceptance {

struct RoundReportOptions {
  std::string round;
  bool redacted = false;  // without paths, folders, hosts and process ids
};

// Recomputes every figure from the evidence as it is now; where that gives another verdict than the one that
// stands, a notice says so. Throws Error(input) where there is no such round.
report::Json round_report(store::Connection& connection, const RoundReportOptions& options);

}  // namespace profdb::importer::acceptance
