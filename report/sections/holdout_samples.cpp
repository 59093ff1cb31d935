// Reading hold-out runs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "profdb/error.h"
#include "report/sections/holdout.h"

namespace profdb::report {
namespace {

// Current: the digests are those of the release as it is.
constexpr const char* kRuns = R"(
SELECT h.holdout_run_id, h.run_at, h.engine_version, h.content_digest, h.mapping_digest, h.options, h.sample_count,
       h.answered_count, h.content_digest = r.content_digest AND h.mapping_digest = r.mapping_digest
FROM holdout_run AS h
JOIN release AS r USING (release_id)
WHERE h.release_id = :release
ORDER BY h.holdout_run_id DESC)";

constexpr const char* kSamples = R"(
SELECT op, kernel, path, regime_id, coordinate, measured_us, source, predicted_us, relative_error, coalesce(method, ''),
       coalesce(dim, 0), coalesce(axes, ''), coalesce(reason, ''), neighbours
FROM holdout_sample
WHERE holdout_run_id = :run
ORDER BY sample)";

std::optional<double> real(const SQLite::Column& column) {
  return column.isNull() ? std::nullopt : std::optional(column.getDouble());
}

void load_runs(const Input& input, const Release& release, std::vector<HoldoutRun>& all) {
  auto& statement = input.connection.statement(kRuns);
  statement.bind(":release", release.info.release_id);
  store::Rows rows(statement);
  while (rows.next())
    all.push_back({rows.integer(0), &release, rows.text(1), rows.text(2), rows.text(3), rows.text(4),
                   rows.text(5), rows.integer(6), rows.integer(7), rows.integer(8) != 0});
}

void load_samples(const Input& input, const HoldoutRun& run, std::vector<HoldoutSample>& all) {
  auto& statement = input.connection.statement(kSamples);
  statement.bind(":run", run.run_id);
  store::Rows rows(statement);
  while (rows.next())
    all.push_back({&run, rows.text(0), rows.text(1), rows.text(2), rows.integer(3), rows.text(4),
                   rows.real(5), rows.text(6), real(rows[7]), real(rows[8]), rows.text(9), rows.integer(10),
                   rows.text(11), rows.text(12), rows.text(13)});
}

}  // namespace

std::vector<HoldoutRun> holdout_runs(const Input& input) {
  std::vector<HoldoutRun> all;
  for (const Release& release : input.releases) load_runs(input, release, all);
  const auto& asked = input.options.holdout_runs;
  if (asked.empty()) return all;
  const auto has = [&](std::int64_t id) {
    return std::any_of(all.begin(), all.end(), [&](const HoldoutRun& run) { return run.run_id == id; });
  };
  std::string known;
  for (const HoldoutRun& run : all) known += fmt::format("{}{}", known.empty() ? "" : ", ", run.run_id);
  for (const auto id : asked)
    if (!has(id))
      throw Error(
          ErrorKind::usage,
          fmt::format(
              "{}: no hold-out run {} of the releases in this report; {}", input.options.database, id,
              known.empty() ? "they have none: make one with 'profdb holdout'" : "there are " + known));
  std::erase_if(all, [&](const HoldoutRun& run) {
    return std::find(asked.begin(), asked.end(), run.run_id) == asked.end();
  });
  return all;
}

std::vector<HoldoutSample> holdout_samples(const Input& input, const std::vector<HoldoutRun>& runs) {
  std::vector<HoldoutSample> all;
  // Release, kernel and path -> the run that speaks for them; runs come newest first.
  std::map<std::tuple<const Release*, std::string, std::string>, const HoldoutRun*> newest;
  for (const HoldoutRun& run : runs) {
    std::vector<HoldoutSample> samples;
    load_samples(input, run, samples);
    for (HoldoutSample& sample : samples) {
      const auto [found, added] = newest.try_emplace({run.release, sample.kernel, sample.path}, &run);
      if (found->second == &run || !input.options.holdout_runs.empty()) all.push_back(std::move(sample));
    }
  }
  return all;
}

}  // namespace profdb::report
