// The sections of a round's report.
#pragma once

#include "report/document/document.h"
#include "serving/archive/actions.h"

namespace profdb::serving {

// What a report is made from.
struct ReportSource {
  LoadedCandidate loaded;
  PerformanceJudgement judgement;                // recomputed; empty for a calibration
  std::optional<CalibrationResult> calibration;  // of a calibration round
  std::vector<RunValidation> runs;
  std::vector<StoredVerdict> standing;  // the last of each part
  std::vector<StoredVerdict> history;
  std::vector<Artifact> artifacts;
  std::vector<LedgerEvent> events;
  std::vector<StoredRun> stored_runs;
  AccuracyEvidence accuracy;
};

report::Section verdict_section(const ReportSource& source);
report::Section round_section(const ReportSource& source);
report::Section levels_section(const ReportSource& source);
report::Section calibration_section(const ReportSource& source);
report::Section requests_section(const ReportSource& source);
report::Section validity_section(const ReportSource& source);
report::Section accuracy_section(const ReportSource& source);
report::Section time_section(const ReportSource& source);
report::Section comparability_section(const ReportSource& source);
report::Section archive_section(const ReportSource& source);
report::Section history_section(const ReportSource& source);

// Seconds between two times as "1 h 02 min 03 s"; "unknown" for nothing.
std::string duration_text(const std::optional<std::int64_t>& ns);

}  // namespace profdb::serving
