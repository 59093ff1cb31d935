// The report of a round (acceptance-protocol §7), as one document from which HTML, Markdown and JSON are
// made.
#pragma once

#include <string>

#include "engine/store/database.h"
#include "report/document/document.h"

namespace profdb::serving {

struct RoundReportOptions {
  std::string round;
  bool redacted = false;  // without paths, folders, hosts and process ids
};

// Recomputes every figure from the evidence as it is now; where that gives another verdict than the one that
// stands, a notice says so. Throws Error(input) where there is no such round.
report::Json round_report(store::Connection& connection, const RoundReportOptions& options);

}  // namespace profdb::serving
