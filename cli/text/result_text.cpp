// Hits and misses as text: what is the answer, and how do we know?
#include "cli/text/result_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/output.h"
#include "cli/output/table.h"
#include "cli/text/reasons.h"
#include "engine/store/releases.h"

namespace profdb::cli {
namespace {

constexpr std::size_t kMostRows = 8;  // of matched measurements that are shown

std::string value_text(const FieldValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  const auto& text = std::get<std::string>(value);
  if (text.empty()) return "(none)";
  // Formats of several slots, none of which is stated.
  return text.find_first_not_of(';') == std::string::npos ? "(any)" : text;
}

std::string values_text(const NamedValues& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    if (value == FieldValue(std::string())) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value_text(value));
  }
  return text;
}

std::string coordinate_text(const std::vector<std::pair<std::string, std::int64_t>>& coordinate) {
  std::string text;
  for (const auto& [axis, value] : coordinate)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", axis, value);
  return text;
}

std::string boundary_text(const std::vector<Boundary>& boundary) {
  std::string text;
  for (const Boundary& b : boundary)
    text += fmt::format("{}{} {}..{}", text.empty() ? "" : ", ", b.axis, number(b.low), number(b.high));
  return text;
}

std::string axes_text(const std::vector<std::string>& axes) {
  return fmt::format("{}", fmt::join(axes, "+"));
}

std::string counts_text(const std::map<std::string, std::int64_t>& counts) {
  std::string text;
  for (const auto& [reason, rows] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", reason, count(rows));
  return text;
}

std::string release_text(const ReleaseInfo& release) {
  return fmt::format("{}: {} (torch {}, CANN {})", release.release_id, release_name(release),
                     release.torch_version, release.cann_version);
}

std::string section(const std::string& title, const Table& table) {
  return table.empty() ? "" : "\n" + title + "\n" + table.text();
}

std::string path_text(const Result& result) {
  const Details& details = result.details;
  std::string text = result.path;
  if (!details.compute_subcategory.empty() && details.compute_subcategory != text)
    text += fmt::format(" (compute_subcategory {})", details.compute_subcategory);
  if (!details.query_mode.empty() && details.query_mode != text)
    text += fmt::format(" (query_mode {})", details.query_mode);
  return text;
}

std::string matched_rows_text(const std::vector<MatchedRow>& rows) {
  Table table({{"coordinate"},
               {"latency us", Align::right},
               {"rows", Align::right},
               {"spread", Align::right},
               {"weight", Align::right},
               {"measurement"}});
  for (const MatchedRow& row : rows) {
    if (table.size() == kMostRows) break;
    std::string ids;
    for (const std::int64_t id : row.measurement_ids) ids += (ids.empty() ? "" : " ") + std::to_string(id);
    if (row.row_count > row.measurement_ids.size()) ids += " ...";
    table.add({coordinate_text(row.coordinate), number(row.latency_us),
               count(static_cast<std::int64_t>(row.row_count)),
               row.row_count > 1 ? fmt::format("{:.1f} %", row.spread * 100) : "",
               row.weight ? fmt::format("{:.4f}", *row.weight) : "", ids});
  }
  std::string text = section("matched measurements", table);
  if (rows.size() > kMostRows)
    text += fmt::format("... and {} more\n", count(static_cast<std::int64_t>(rows.size() - kMostRows)));
  return text;
}

std::string hit_text(const LeafOp& leaf, const Result& result, const ReleaseInfo& release) {
  const Details& details = result.details;
  Facts facts;
  facts.add("operator", leaf.op);
  facts.add("note", details.note);
  facts.add("kernel", result.kernel);
  facts.add("path", path_text(result));
  facts.add("method", result.dim > 0 ? fmt::format("{} (dim {})", result.method, result.dim) : result.method);
  facts.add("axes", axes_text(result.axes));
  facts.add("match rule", result.match_rule);
  facts.add("target", coordinate_text(details.target_axes));
  facts.add("boundary", boundary_text(details.boundary));
  if (details.candidate_count > 0)
    facts.add("candidates", count(static_cast<std::int64_t>(details.candidate_count)));
  facts.add("regime", values_text(details.regime));
  facts.add("path fields", values_text(details.path_fields));
  if (!details.latency_column.empty())
    facts.add("latency from", fmt::format("{} ({})", details.latency_column, details.source_class));
  facts.add("fallback from", details.fallback_from);
  facts.add("confidence", fmt::format("{:.2f}", result.confidence));
  facts.add("release", release_text(release));
  return fmt::format("{}  {}\n\n", to_string(result.source), latency(result.latency_us)) + facts.text() +
         matched_rows_text(details.matched_rows);
}

// What an attempt that reached no axis group has to say: a field's name, say.
std::string kernel_detail(const Result& result, const std::string& kernel, const std::string& reason) {
  const auto& attempts = result.details.attempts;
  const auto found = std::find_if(attempts.begin(), attempts.end(), [&](const Attempt& a) {
    return a.kernel == kernel && a.reason == reason && a.axes.empty();
  });
  return found == attempts.end() ? "" : found->message;
}

std::string kernels_text(const Result& result) {
  Table table({{"kernel"}, {"reason"}, {"detail"}});
  for (const auto& [kernel, reason] : result.details.kernels_attempted)
    table.add({kernel, reason, kernel_detail(result, kernel, reason)});
  return section("kernels tried", table);
}

std::string closest_text(const Result& result) {
  if (!result.details.closest_regime) return "";
  const ClosestRegime& closest = *result.details.closest_regime;
  Table table({{"field"}, {"asked for"}, {"measured"}});
  for (const auto& difference : closest.differences)
    table.add({difference.field, value_text(difference.target), value_text(difference.measured)});
  return section(fmt::format("closest regime: {}, {} {}; it differs in", closest.kernel,
                             count(closest.row_count), closest.row_count == 1 ? "row" : "rows"),
                 table);
}

bool found_nothing(const Attempt& attempt) {
  return attempt.candidate_count == 0 && attempt.message.empty();
}

// Attempts of one kernel, those that found nothing for the same reason in one row.
std::string attempts_text(const Result& result, const std::string& kernel) {
  std::vector<std::pair<const Attempt*, std::string>> shown;  // with the axes
  for (const Attempt& attempt : result.details.attempts) {
    if (attempt.kernel != kernel || attempt.axes.empty()) continue;
    const auto like = std::find_if(shown.begin(), shown.end(), [&](const auto& other) {
      const Attempt& o = *other.first;
      return found_nothing(o) && found_nothing(attempt) && o.reason == attempt.reason &&
             o.source_class == attempt.source_class && o.input_formats == attempt.input_formats;
    });
    if (like == shown.end())
      shown.emplace_back(&attempt, axes_text(attempt.axes));
    else
      like->second += ", " + axes_text(attempt.axes);
  }
  Table table({{"formats"},
               {"latencies"},
               {"axes"},
               {"rows", Align::right},
               {"points", Align::right},
               {"measured range"},
               {"reason", Align::left, false},
               {"detail"}});
  for (const auto& [attempt, axes] : shown)
    table.add({attempt->input_formats, attempt->source_class, axes,
               count(static_cast<std::int64_t>(attempt->candidate_count)),
               count(static_cast<std::int64_t>(attempt->coordinate_count)), boundary_text(attempt->measured),
               std::string(attempt->reason), attempt->message});
  return section("attempts to interpolate on " + printable(kernel), table);
}

std::string attempts_text(const Result& result) {
  std::string text;
  for (const auto& [kernel, reason] : result.details.kernels_attempted) text += attempts_text(result, kernel);
  return text;
}

std::string miss_text(const LeafOp& leaf, const Result& result, const ReleaseInfo& release) {
  const Details& details = result.details;
  std::string text = fmt::format("MISS  {}\n", result.reason);
  for (const std::string& line : wrap(explain(result.reason), kLineWidth)) text += line + "\n";
  Facts facts;
  facts.add("operator", leaf.op);
  facts.add("path", path_text(result));
  facts.add("target", coordinate_text(details.target_axes));
  facts.add("regime", values_text(details.target_regime));
  facts.add("path fields", values_text(details.path_fields));
  if (details.prior_latency_us) facts.add("prior", latency(*details.prior_latency_us));
  facts.add("rows not used", counts_text(details.rejected_rows));
  facts.add("release", release_text(release));
  return text + "\n" + facts.text() + kernels_text(result) + closest_text(result) + attempts_text(result);
}

}  // namespace

std::string result_text(const LeafOp& leaf, const Result& result, const ReleaseInfo& release) {
  std::string text = result.hit() ? hit_text(leaf, result, release) : miss_text(leaf, result, release);
  if (!release.synthetic.empty())
    text +=
        fmt::format("\nSYNTHETIC: the data of this release is made up. {}\n", printable(release.synthetic));
  return text;
}

}  // namespace profdb::cli
