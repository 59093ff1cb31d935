// Puts the sections of a release report together.
#include "report/release_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/store/releases.h"
#include "profdb/error.h"
#include "report/sections/sections.h"

namespace profdb::report {
namespace {

std::vector<Release> chosen_releases(store::Connection& connection, const ReleaseReportOptions& options) {
  std::vector<ReleaseInfo> infos;
  if (options.releases.empty()) infos = list_releases(connection);
  for (const auto& selector : options.releases) {
    ReleaseInfo info = select_release(connection, selector);
    const bool twice = std::any_of(infos.begin(), infos.end(),
                                   [&](const auto& i) { return i.release_id == info.release_id; });
    if (!twice) infos.push_back(std::move(info));
  }
  if (infos.empty())
    throw Error(ErrorKind::usage,
                fmt::format("{} holds no release; import one with 'profdb import'", options.database));
  std::map<std::string, int> names;
  for (const auto& info : infos) ++names[release_name(info)];
  std::vector<Release> releases;
  for (auto& info : infos) {
    std::string name = release_name(info);
    if (names[name] > 1) name += fmt::format(" #{}", info.release_id);
    const std::string badge = info.synthetic.empty() ? "" : "synthetic";
    releases.push_back({std::move(info), std::move(name), badge, infos.size() == 1});
  }
  return releases;
}

// Notice -> the releases that carry it.
std::map<std::string, std::string> synthetic_notices(const Input& input) {
  std::map<std::string, std::string> notices;
  for (const Release& release : input.releases) {
    if (release.info.synthetic.empty()) continue;
    std::string& names = notices[release.info.synthetic];
    names += (names.empty() ? "" : ", ") + release.name;
  }
  return notices;
}

Document document(const Input& input) {
  Document report{.title = "Profiling report"};
  report.title += input.releases.size() == 1 ? ": " + input.releases.front().name
                                             : fmt::format(": {} releases", input.releases.size());
  report.subtitle =
      fmt::format("What {} can answer, and how far that has been checked. Written {} UTC by profdb {}.",
                  input.connection.path().filename().string(), input.options.written_at, version());
  for (const auto& [notice, names] : synthetic_notices(input))
    report.notices.push_back({"synthetic", fmt::format("The data of {} is made up: {}", names, notice)});
  report.filters = {{"release", "Release"},
                    {"path", "Path"},
                    {"kernel", "Kernel"},
                    {"regime", "Regime"},
                    {"dim", "Dimension"}};

  Findings findings;
  const auto density = density_rows(input);
  Section data = data_section(input, findings);
  Section coverage = coverage_section(input, findings);
  Section map = density_section(input, density, findings);
  Section curves = curve_section(input, density);
  Section errors = holdout_section(input, findings);
  Section lookups = lookup_section(input, findings);
  auto replayed = replay_section(input, findings);
  report.sections = {summary_section(findings), std::move(data),   std::move(coverage), std::move(map),
                     std::move(curves),         std::move(errors), std::move(lookups)};
  if (replayed) report.sections.push_back(std::move(*replayed));
  report.sections.push_back(not_verified_section(input, findings));
  return report;
}

}  // namespace

Document release_report(const ReleaseReportOptions& options) {
  store::Connection connection(options.database, store::Mode::read);
  try {
    const store::ReadTransaction transaction(connection);
    const Input input{connection, options, chosen_releases(connection, options)};
    return document(input);
  } catch (const SQLite::Exception& e) {
    throw store::database_error(options.database, e, "read the releases of");
  }
}

}  // namespace profdb::report
