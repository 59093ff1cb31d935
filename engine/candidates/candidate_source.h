// Where a lookup reads what was measured: the caches first, then the database.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/candidates/caches.h"
#include "engine/candidates/points.h"
#include "engine/candidates/projection.h"
#include "engine/candidates/regimes.h"
#include "engine/store/database.h"

namespace profdb {

// Lives for one lookup on one thread, inside that thread's read transaction.
class CandidateSource {
 public:
  // `caches` may be null: everything is read anew. `excluded` (may be null) is left out of every answer.
  CandidateSource(store::Connection& connection, std::int64_t generation, cache::Caches* caches,
                  const Excluded* excluded)
      : connection_(connection), generation_(generation), caches_(caches), excluded_(excluded) {}

  store::Connection& connection() { return connection_; }

  // Which regimes of the projection a target may use, as `resolver` chooses. `target` along PathSpec::fields.
  std::shared_ptr<const ResolvedRegimes> regimes(const PathSpec& spec, const RegimeResolver& resolver,
                                                 std::int64_t projection_id,
                                                 const std::vector<FieldValue>& target);

  // What was measured at exactly `coordinate`.
  std::optional<MeasuredPoint> exact(const PathSpec& spec, const store::RegimeRow& regime,
                                     SourceClass source_class, const std::vector<std::int64_t>& coordinate);

  // Everything of the class.
  std::shared_ptr<const ClassPoints> whole_class(const PathSpec& spec, const store::RegimeRow& regime,
                                                 SourceClass source_class);

  // What equals `coordinate` outside the axis group; null where nothing does.
  std::shared_ptr<const GroupPoints> group(const PathSpec& spec, const store::RegimeRow& regime,
                                           SourceClass source_class, std::size_t group,
                                           const std::vector<std::int64_t>& coordinate);

  // Visits the rows of the base exact match of a class of rows under one value of padded_blocks: those that
  // agree in the elements of every slot, or, without `elements`, all.
  void base_exact(const Projection::Signatures& signatures, std::int64_t padded_blocks,
                  const std::string* elements, const store::VisitExact& visit);

 private:
  std::shared_ptr<const ClassPoints> cached_class(const cache::Key& key) const;
  std::shared_ptr<const ClassPoints> load_class(const PathSpec& spec, const store::RegimeRow& regime,
                                                SourceClass source_class, const cache::Key& key);
  std::shared_ptr<const ExactRows> exact_rows(const Projection::Signatures& signatures);
  std::shared_ptr<const GroupPoints> group_from_range(const PathSpec& spec, const store::RegimeRow& regime,
                                                      SourceClass source_class, std::size_t group,
                                                      const std::vector<std::int64_t>& coordinate,
                                                      const cache::Key& whole);
  template <typename Make>
  std::shared_ptr<const GroupPoints> kept_group(const AxisGroup& axes, const cache::Key& key, Make make);
  static cache::Key group_key(const PathSpec& spec, const cache::Key& whole, std::size_t group,
                              const std::vector<std::int64_t>& coordinate);
  cache::Key class_key(const PathSpec& spec, const store::RegimeRow& regime, SourceClass source_class) const;

  store::Connection& connection_;
  std::int64_t generation_;
  cache::Caches* caches_;
  const Excluded* excluded_;

  // The class that group() was asked of last: its groups are tried one after the other.
  struct {
    const PathSpec* spec = nullptr;
    std::int64_t regime_id = 0;
    SourceClass source_class = SourceClass::selected;
    cache::Key key;
    std::shared_ptr<const ClassPoints> points;
  } latest_;
};

}  // namespace profdb
