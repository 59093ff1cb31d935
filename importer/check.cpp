// Every stored row once: digests and counts of its file, and what each projection makes of it.
#include "importer/check.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "engine/paths/registry.h"
#include "engine/release/dispatch.h"
#include "engine/store/candidates.h"
#include "engine/store/database.h"
#include "engine/store/releases.h"
#include "importer/mapping/column_aliases.h"
#include "importer/release_source.h"
#include "importer/write/measurement_store.h"
#include "importer/write/projector.h"

#include <xxhash.h>

namespace profdb::importer {
namespace {

using store::Connection;
using store::Rows;

// A digest over a set of rows that does not depend on their order: what is stored and what is made afresh
// come in different orders.
class SetDigest {
 public:
  void add(const std::string& row) {
    const XXH128_hash_t h = XXH3_128bits(row.data(), row.size());
    low_ += h.low64;
    high_ += h.high64;
    ++count_;
  }
  bool operator==(const SetDigest&) const = default;
  std::uint64_t count() const { return count_; }

 private:
  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
  std::uint64_t count_ = 0;
};

struct StoredFile {
  std::int64_t id = 0;
  std::int64_t release_id = 0;
  std::string path, kernel, content_hash;
  std::int64_t row_count = 0, taken = 0, unusable = 0, rejected = 0;
};

std::vector<StoredFile> files(Connection& connection) {
  std::vector<StoredFile> found;
  Rows rows(connection.statement(
      "SELECT f.source_file_id, f.release_id, f.path, k.name, f.content_hash, f.row_count, f.taken_rows, "
      "f.unusable_rows, "
      "f.rejected_rows\nFROM source_file AS f\nJOIN kernel AS k USING (kernel_id)\nWHERE f.failure = ''"));
  while (rows.next())
    found.push_back({rows.integer(0), rows.integer(1), rows.text(2), rows.text(3), rows.text(4),
                     rows.integer(5), rows.integer(6), rows.integer(7), rows.integer(8)});
  return found;
}

// What identifies a projected row, as text.
std::string row_text(const std::vector<FieldValue>& group, std::string_view rest) {
  std::string text;
  for (const FieldValue& value : group) {
    text += std::holds_alternative<std::int64_t>(value) ? std::to_string(std::get<std::int64_t>(value))
                                                        : std::get<std::string>(value);
    text += '\x1f';
  }
  return text.append(rest);
}

std::string candidate_text(const std::vector<std::int64_t>& coordinate, std::string_view elements,
                           std::string_view shapes, int source_class, std::int64_t measurement_id,
                           double latency_us) {
  return fmt::format("{}|{}|{}|{}|{}|{}", fmt::join(coordinate, ","), elements, shapes, source_class,
                     measurement_id, latency_us);
}

struct ProjectionCheck {
  std::int64_t id = 0;
  ProjectionKey key;
  SetDigest fresh = {};
  std::int64_t unusable = 0;                          // rows that fit and have no usable latency
  std::map<std::string, std::int64_t> rejected = {};  // by reason, unusable ones included
};

SetDigest stored_base_exact(Connection& connection, std::int64_t projection_id) {
  SetDigest digest;
  auto& statement = connection.statement(
      "SELECT s.input_count, s.input_dtypes, c.padded_blocks, c.elements, c.input_shapes, c.source_class, "
      "c.measurement_id, "
      "c.latency_us\nFROM base_exact_signature AS s\nJOIN base_exact_candidate AS c USING "
      "(signature_id)\nWHERE s.projection_id "
      "= :projection");
  statement.bind(1, projection_id);
  Rows rows(statement);
  while (rows.next())
    digest.add(row_text({rows.integer(0), rows.text(1)},
                        candidate_text({rows.integer(2)}, rows.text(3), rows.text(4), rows[5].getInt(),
                                       rows.integer(6), rows.real(7))));
  return digest;
}

SetDigest stored_path(Connection& connection, const PathSpec& spec, std::int64_t projection_id) {
  SetDigest digest;
  for (const store::RegimeRow& regime : store::list_regimes(connection, spec, projection_id))
    for (const SourceClass source_class : {SourceClass::selected, SourceClass::fallback})
      for (const store::CandidateRow& row :
           store::find_class(connection, spec, regime.regime_id, source_class))
        digest.add(
            row_text(regime.values, candidate_text(row.coordinate, "", "", static_cast<int>(source_class),
                                                   row.measurement_id, row.latency_us)));
  return digest;
}

std::map<std::string, std::vector<ProjectionCheck>> projections(Connection& connection,
                                                                std::int64_t release_id,
                                                                const Mapping& mapping,
                                                                std::vector<Finding>& findings) {
  std::map<std::string, std::vector<ProjectionCheck>> by_kernel;
  std::set<ProjectionKey> stored;
  auto& statement = connection.statement(
      "SELECT p.projection_id, p.path, k.name, p.tc_input_count, p.axis_policy\nFROM projection AS p\nJOIN "
      "kernel AS k USING "
      "(kernel_id)\nWHERE p.release_id = :release");
  statement.bind(1, release_id);
  {
    Rows rows(statement);
    while (rows.next()) {
      ProjectionKey key{rows.text(1), rows.text(2), rows.integer(3), rows.text(4)};
      stored.insert(key);
      by_kernel[key.kernel].push_back({rows.integer(0), key});
    }
  }
  const auto wanted = projection_keys(mapping);
  for (const ProjectionKey& key : wanted)
    if (!stored.contains(key))
      findings.push_back({"projection", fmt::format("release {}: kernel {} has no projection for path {}",
                                                    release_id, key.kernel, key.path)});
  return by_kernel;
}

// Reads every measurement of a file once: digest, counts, and every projection afresh.
void check_file(Connection& connection, const StoredFile& file, const Mapping& mapping,
                std::vector<ProjectionCheck>* checks, std::vector<Finding>& findings) {
  ContentHash hash;
  std::optional<ColumnAliaser> aliaser;
  std::int64_t taken = 0;
  std::int64_t unusable = 0;
  for_each_measurement(connection, file.id, [&](const StoredRow& stored) {
    hash.add(stored.item);
    ++(stored.row.latency_us ? taken : unusable);
    if (checks == nullptr) return;
    if (!aliaser) aliaser.emplace(mapping, file.path, *stored.row.columns);
    const Row& row = aliaser->widen(stored.row);
    for (ProjectionCheck& check : *checks) {
      const Projected p = project(check.key, row);
      if (!p.rejection.empty()) {
        ++check.rejected[std::string(p.rejection)];
      } else if (!stored.row.latency_us) {
        ++check.unusable;
        ++check.rejected[stored.unusable_reason];
      } else
        check.fresh.add(row_text(p.group, candidate_text(p.coordinate, p.elements, p.input_shapes,
                                                         static_cast<int>(stored.row.source_class),
                                                         stored.row.measurement_id, *stored.row.latency_us)));
    }
  });
  if (hash.finish() != file.content_hash)
    findings.push_back(
        {"digests", fmt::format("file {} of release {}: its measurements are not those that were imported",
                                file.path, file.release_id)});
  auto& count = connection.statement("SELECT count(*)\nFROM rejected_row\nWHERE source_file_id = :file");
  count.bind(1, file.id);
  Rows rows(count);
  rows.next();
  if (taken != file.taken || unusable != file.unusable || rows.integer(0) != file.rejected ||
      file.row_count != taken + unusable + file.rejected)
    findings.push_back(
        {"counts", fmt::format("file {} of release {}: {} rows are recorded as {} taken, {} unusable, {} "
                               "rejected; found {}, {}, {}",
                               file.path, file.release_id, file.row_count, file.taken, file.unusable,
                               file.rejected, taken, unusable, rows.integer(0))});
}

// Counters that lookups and results rest on: of the projection, of its regimes, of its rejections.
void check_counters(Connection& connection, std::int64_t release_id, const ProjectionCheck& check,
                    std::vector<Finding>& findings) {
  const auto report = [&](const std::string& what) {
    findings.push_back(
        {"counts", fmt::format("release {}, kernel {}, path {}: {}; 'profdb mapping set' makes them anew",
                               release_id, check.key.kernel, check.key.path, what)});
  };
  {
    auto& statement = connection.statement(
        "SELECT candidate_count, unusable_count\nFROM projection\nWHERE projection_id = :projection");
    statement.bind(1, check.id);
    Rows rows(statement);
    if (rows.next() && (rows.integer(0) != static_cast<std::int64_t>(check.fresh.count()) ||
                        rows.integer(1) != check.unusable))
      report(fmt::format("{} usable and {} unusable rows are recorded, {} and {} were found", rows.integer(0),
                         rows.integer(1), check.fresh.count(), check.unusable));
  }
  std::map<std::string, std::int64_t> recorded;
  {
    auto& statement = connection.statement(
        "SELECT reason, row_count\nFROM projection_rejection_count\nWHERE projection_id = :projection");
    statement.bind(1, check.id);
    Rows rows(statement);
    while (rows.next()) recorded[rows.text(0)] = rows.integer(1);
  }
  if (recorded != check.rejected) report("the recorded rejections are not those of its rows");
  if (check.key.path == kBaseExactPath) return;
  auto& statement =
      connection.statement(fmt::format("SELECT count(*)\nFROM {0}_regime AS r\nWHERE r.projection_id = "
                                       ":projection\nAND r.usable_rows <> (SELECT count(*) FROM "
                                       "{0}_candidate AS c WHERE c.regime_id = r.regime_id)",
                                       check.key.path));
  statement.bind(1, check.id);
  Rows rows(statement);
  if (rows.next() && rows.integer(0) > 0)
    report(fmt::format("{} regimes record another number of rows than they have", rows.integer(0)));
}

void check_digests(Connection& connection, std::int64_t release_id, const Mapping& mapping,
                   std::vector<Finding>& findings) {
  auto& statement = connection.statement(
      "SELECT mapping_digest, content_digest\nFROM release\nWHERE release_id = :release");
  statement.bind(1, release_id);
  std::string mapping_digest;
  std::string content;
  {
    Rows rows(statement);
    rows.next();
    mapping_digest = rows.text(0);
    content = rows.text(1);
  }
  if (mapping_digest != sha256_of_text(canonical_json(mapping)))
    findings.push_back(
        {"digests", fmt::format("release {}: its mapping is not the one that was imported", release_id)});
  if (content != stored_content_digest(connection, release_id, mapping_digest))
    findings.push_back(
        {"digests",
         fmt::format("release {}: its files' digests are not those that were imported", release_id)});
}

void check_release(Connection& connection, std::int64_t release_id, const std::vector<StoredFile>& all,
                   std::vector<Finding>& findings) {
  const Mapping mapping = load_mapping(connection, release_id);
  check_digests(connection, release_id, mapping, findings);
  auto checks = projections(connection, release_id, mapping, findings);
  for (const StoredFile& file : all) {
    if (file.release_id != release_id) continue;
    const auto it = checks.find(file.kernel);
    check_file(connection, file, mapping, it == checks.end() ? nullptr : &it->second, findings);
  }
  for (const auto& [kernel, list] : checks)
    for (const ProjectionCheck& check : list) {
      check_counters(connection, release_id, check, findings);
      const SetDigest stored = check.key.path == kBaseExactPath
                                   ? stored_base_exact(connection, check.id)
                                   : stored_path(connection, find_path(check.key.path)->spec(), check.id);
      if (!(stored == check.fresh))
        findings.push_back(
            {"projection",
             fmt::format("release {}, kernel {}, path {}: {} stored candidates, {} made afresh, or others; "
                         "'profdb mapping set' makes them anew",
                         release_id, kernel, check.key.path, stored.count(), check.fresh.count())});
    }
}

}  // namespace

void check_releases(Connection& connection, std::vector<Finding>& findings) {
  const auto all = files(connection);
  for (const ReleaseInfo& info : list_releases(connection))
    check_release(connection, info.release_id, all, findings);
}

}  // namespace profdb::importer
