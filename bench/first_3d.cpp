// The first 3D interpolation in a regime, when an engine knows nothing of it yet, against what it cannot do
// without: fetching the regime's rows with a bare statement, and a bare Qhull run over their points.
#include <cstdio>
#include <stdexcept>

#include "bench/floor_pair.h"

extern "C" {
#include <libqhull_r/libqhull_r.h>
}

namespace profdb::bench {
namespace {

constexpr const char* kLargestRegime =
    "SELECT regime_id\n"
    "FROM matrix_compute_regime\n"
    "JOIN projection USING (projection_id)\n"
    "JOIN kernel USING (kernel_id)\n"
    "WHERE name = 'MatMulV2'\n"
    "ORDER BY usable_rows DESC";

constexpr const char* kRows =
    "SELECT m, k, n, measurement_id, latency_us\n"
    "FROM matrix_compute_candidate\n"
    "WHERE regime_id = ?1 AND source_class = 0";

struct Row {
  std::array<double, 3> point;
  std::int64_t measurement_id;
  double latency_us;
};

// The rows of MatMulV2's largest regime, by a statement that is prepared once.
class RegimeFloor {
 public:
  explicit RegimeFloor(const std::string& database) : db_(open_bare(database)) {
    const StatementHandle regime = prepare_bare(db_.get(), kLargestRegime);
    require(sqlite3_step(regime.get()) == SQLITE_ROW, database + " has no regime of MatMulV2");
    statement_ = prepare_bare(db_.get(), kRows);
    sqlite3_bind_int64(statement_.get(), 1, sqlite3_column_int64(regime.get(), 0));
  }

  std::vector<Row> fetch() {
    sqlite3_stmt* statement = statement_.get();
    std::vector<Row> rows;
    while (sqlite3_step(statement) == SQLITE_ROW)
      rows.push_back({{sqlite3_column_double(statement, 0), sqlite3_column_double(statement, 1),
                       sqlite3_column_double(statement, 2)},
                      sqlite3_column_int64(statement, 3),
                      sqlite3_column_double(statement, 4)});
    sqlite3_reset(statement);
    return rows;
  }

 private:
  DatabaseHandle db_;
  StatementHandle statement_;
};

// The points in the order in which the lookup triangulates them: that of the measurements.
std::vector<double> points_of(std::vector<Row> rows) {
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.measurement_id < b.measurement_id; });
  std::vector<double> points;
  for (const Row& row : rows) points.insert(points.end(), row.point.begin(), row.point.end());
  return points;
}

void bare_qhull(std::vector<double>& points) {
  qhT qh;
  qh_zero(&qh, stderr);
  std::array command = std::to_array("qhull d Qbb Qc Qz Q12 Qt");
  const int failed = qh_new_qhull(&qh, 3, static_cast<int>(points.size() / 3), points.data(), False,
                                  command.data(), nullptr, stderr);
  int pieces = 0;
  int bytes = 0;
  qh_freeqhull(&qh, !qh_ALL);
  qh_memfreeshort(&qh, &pieces, &bytes);
  require(failed == 0, "bare Qhull failed");
}

// The first of the targets that is answered in 3D.
LeafOp leaf_in_hull(const std::string& database, const std::vector<MatMul>& measured) {
  const Engine engine(database);
  for (const LeafOp& leaf : leaves_of(between_all(measured, 100)))
    if (engine.lookup(leaf)->dim == 3) return leaf;
  throw std::runtime_error("no target is interpolated in 3D");
}

// An engine that is open and has answered something of another kind.
std::unique_ptr<Engine> running_engine(const std::string& database, const LeafOp& measured) {
  auto engine = std::make_unique<Engine>(database);
  require(engine->lookup(measured)->source == Source::measured,
          "a measured leaf is not answered as MEASURED");
  return engine;
}

void first_3d(benchmark::State& state, const Settings& settings) {
  const auto measured = all_measured(settings.real);
  const LeafOp exact = leaf_of(measured.front());
  const LeafOp target = leaf_in_hull(settings.real, measured);
  RegimeFloor floor(settings.real);
  const std::vector<double> points = points_of(floor.fetch());
  std::vector<Times> floors;
  std::vector<Times> subjects;
  for ([[maybe_unused]] auto _ : state) {
    std::vector<double> writable = points;  // Qhull wants them so
    const auto bare = [&] {
      benchmark::DoNotOptimize(floor.fetch());
      bare_qhull(writable);
    };
    const auto engine = running_engine(settings.real, exact);
    const auto lookup = [&] { benchmark::DoNotOptimize(engine->lookup(target)); };
    floors.push_back(time_calls(1, bare));
    subjects.push_back(time_calls(1, lookup));
    state.SetIterationTime(subjects.back().wall_us * 1e-6);
  }
  report(state, "floor", floors);
  report(state, "subject", subjects);
  state.counters["points"] = static_cast<double>(points.size()) / 3;
}

}  // namespace

void register_first_3d(const Settings& settings) {
  if (settings.real.empty()) return;
  register_pair("first_3d", settings, [settings](benchmark::State& state) { first_3d(state, settings); });
}

}  // namespace profdb::bench
