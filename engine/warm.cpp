// Regime by regime, until a cache is full.
#include "engine/warm.h"

#include <set>

#include "engine/lookup/search.h"
#include "engine/store/candidates.h"
#include "profdb/error.h"

namespace profdb {
namespace {

// Larger regimes are left to the lookups that want them: triangulating one takes longer than a warm-up
// should.
constexpr std::int64_t kLargestRegime = 100'000;

class Warming {
 public:
  Warming(CandidateSource& candidates, const cache::Caches& caches)
      : candidates_(candidates), caches_(caches), evictions_(evictions()) {}

  // False when a cache has begun to let go of what it holds.
  bool take(const OperatorPlan& plan) {
    const auto* path = std::get_if<const Path*>(&plan.selected);
    if (path == nullptr) return true;
    for (const KernelPlan& kernel : plan.kernels)
      if (kernel.projection != nullptr && !take(**path, *kernel.projection)) return false;
    return true;
  }

  WarmReport report;

 private:
  bool take(const Path& path, const Projection& projection) {
    if (!seen_.insert(projection.projection_id).second) return true;
    for (const store::RegimeRow& regime :
         store::list_regimes(candidates_.connection(), path.spec(), projection.projection_id)) {
      if (regime.usable_rows == 0 || regime.usable_rows > kLargestRegime) continue;
      candidates_.regimes(path.spec(), path.steps(), projection.projection_id, regime.values);
      ++report.regimes;
      for (const SourceClass source_class : {SourceClass::selected, SourceClass::fallback})
        take(path.spec(), regime, source_class);
      if (is_full()) return false;
    }
    return true;
  }

  void take(const PathSpec& spec, const store::RegimeRow& regime, SourceClass source_class) {
    const auto all = candidates_.whole_class(spec, regime, source_class);
    report.candidates += all->rows().size();
    if (all->rows().empty()) return;
    for (std::size_t g = 0; g < spec.groups.size(); ++g) {
      if (spec.groups[g].size() < 2 || spec.groups[g].size() < spec.axes.size()) continue;
      const auto points = candidates_.group(spec, regime, source_class, g, all->rows().front().coordinate);
      if (std::holds_alternative<std::shared_ptr<const interpolation::Triangulation>>(points->mesh()))
        ++report.triangulations;
    }
  }

  std::uint64_t evictions() const {
    EngineStats stats;
    caches_.count(stats);
    return stats.regimes.evictions + stats.candidates.evictions + stats.triangulations.evictions;
  }
  bool is_full() const { return evictions() > evictions_; }

  CandidateSource& candidates_;
  const cache::Caches& caches_;
  const std::uint64_t evictions_;  // before it began
  std::set<std::int64_t> seen_;    // projections
};

}  // namespace

WarmReport warm(CandidateSource& candidates, const ReleaseState& release, const std::vector<std::string>& ops,
                const cache::Caches& caches) {
  for (const std::string& op : ops)
    if (!release.operators.contains(op))
      throw Error(ErrorKind::usage, "the mapping of release " + std::to_string(release.info.release_id) +
                                        " has no operator '" + op + "'");
  Warming warming(candidates, caches);
  const auto take = [&](const OperatorPlan& plan) {
    ++warming.report.operators;
    return warming.take(plan);
  };
  if (ops.empty()) {
    for (const OpMapping& op : release.mapping.operators)
      if (!take(release.operators.at(op.op))) break;
  } else {
    for (const std::string& op : ops)
      if (!take(release.operators.at(op))) break;
  }
  return warming.report;
}

}  // namespace profdb
