// The report of an import as text and as JSON.
#include "cli/text/import_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/output.h"
#include "cli/output/table.h"

namespace profdb::cli {
namespace {

using importer::FileReport;
using importer::ImportReport;

FileReport totals(const std::vector<FileReport>& files) {
  FileReport sum;
  for (const FileReport& file : files) {
    sum.row_count += file.row_count;
    sum.taken_rows += file.taken_rows;
    sum.unusable_rows += file.unusable_rows;
    sum.rejected_rows += file.rejected_rows;
    for (const auto& [reason, rows] : file.reasons) sum.reasons[reason] += rows;
  }
  return sum;
}

// " (latency_zero 2, latency_invalid 2)", or nothing where no such reason occurs.
std::string reasons_text(const std::map<std::string, std::int64_t>& reasons, bool of_latency) {
  std::string text;
  for (const auto& [reason, rows] : reasons)
    if (reason.starts_with("latency_") == of_latency)
      text += fmt::format("{}{} {}", text.empty() ? " (" : ", ", reason, count(rows));
  return text.empty() ? text : text + ")";
}

std::string totals_text(const FileReport& sum) {
  std::string text = fmt::format("{} {}: {} taken", count(sum.row_count), sum.row_count == 1 ? "row" : "rows",
                                 count(sum.taken_rows));
  if (sum.unusable_rows > 0)
    text += fmt::format(", {} without a usable latency{}", count(sum.unusable_rows),
                        reasons_text(sum.reasons, true));
  if (sum.rejected_rows > 0)
    text += fmt::format(", {} rejected{}", count(sum.rejected_rows), reasons_text(sum.reasons, false));
  std::string lines;
  for (const std::string& line : wrap(text, kLineWidth)) lines += line + "\n";
  return lines;
}

std::string outcome_text(const ImportReport& report) {
  const std::string dry = report.dry_run ? "dry run, nothing was written: would be " : "";
  const std::string release = report.release_id == 0 ? "" : fmt::format(" as release {}", report.release_id);
  switch (report.outcome) {
    case ImportReport::Outcome::imported:
      return dry + "imported" + release;
    case ImportReport::Outcome::replaced:
      return dry + "replaced" + release;
    case ImportReport::Outcome::unchanged:
      return fmt::format("unchanged: the same bytes are there already (release {}); nothing was done",
                         report.release_id);
  }
  return "";
}

const char* outcome_name(ImportReport::Outcome outcome) {
  switch (outcome) {
    case ImportReport::Outcome::imported:
      return "imported";
    case ImportReport::Outcome::replaced:
      return "replaced";
    case ImportReport::Outcome::unchanged:
      return "unchanged";
  }
  return "";
}

nlohmann::ordered_json to_json(const FileReport& file) {
  return {{"path", file.path},
          {"kernel", file.kernel},
          {"row_count", file.row_count},
          {"taken_rows", file.taken_rows},
          {"unusable_rows", file.unusable_rows},
          {"rejected_rows", file.rejected_rows},
          {"reasons", file.reasons},
          {"failure", file.failure}};
}

}  // namespace

std::string identity_text(const importer::Identity& identity) {
  return fmt::format("{}/{}/{} (torch {}, CANN {})", identity.device, identity.framework,
                     identity.framework_version, identity.torch_version, identity.cann_version);
}

std::string files_text(const std::vector<FileReport>& files) {
  if (files.empty()) return "";
  Table table({{"file"},
               {"kernel"},
               {"rows", Align::right},
               {"taken", Align::right},
               {"no latency", Align::right},
               {"rejected", Align::right}});
  std::string left_out;
  for (const FileReport& file : files) {
    if (file.failure.empty())
      table.add({file.path, file.kernel, count(file.row_count), count(file.taken_rows),
                 count(file.unusable_rows), count(file.rejected_rows)});
    else
      left_out += fmt::format("left out: {}\n", printable(file.failure));
  }
  return (table.empty() ? "" : table.text() + "\n") + totals_text(totals(files)) + left_out;
}

std::string import_text(const ImportReport& report) {
  std::string text = printable(identity_text(report.identity)) + "\n" + outcome_text(report) + "\n";
  const std::string files = files_text(report.files);
  return files.empty() ? text : text + "\n" + files;
}

nlohmann::ordered_json to_json(const ImportReport& report) {
  const FileReport sum = totals(report.files);
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const FileReport& file : report.files) files.push_back(to_json(file));
  return {{"outcome", outcome_name(report.outcome)},
          {"dry_run", report.dry_run},
          {"release_id", report.release_id},
          {"device", report.identity.device},
          {"framework", report.identity.framework},
          {"framework_version", report.identity.framework_version},
          {"torch_version", report.identity.torch_version},
          {"cann_version", report.identity.cann_version},
          {"row_count", sum.row_count},
          {"taken_rows", sum.taken_rows},
          {"unusable_rows", sum.unusable_rows},
          {"rejected_rows", sum.rejected_rows},
          {"reasons", sum.reasons},
          {"files", std::move(files)},
          {"warnings", report.warnings}};
}

}  // namespace profdb::cli
