// Loading of regimes, classes and groups, and what of them is kept.
#include "engine/candidate_source.h"

#include <algorithm>

#include "engine/paths/base_exact.h"
#include "engine/search.h"

namespace profdb {
namespace {

// Regimes up to this many rows are read whole at the first interpolation: all their axis groups are then
// answered in memory. Larger ones are read group by group, range by range.
constexpr std::int64_t kWholeClassRows = 8192;

std::vector<const MeasuredPoint*> pointers(const std::vector<MeasuredPoint>& points) {
  std::vector<const MeasuredPoint*> all;
  all.reserve(points.size());
  for (const MeasuredPoint& point : points) all.push_back(&point);
  return all;
}

}  // namespace

std::shared_ptr<const ResolvedRegimes> CandidateSource::regimes(const Path& path, std::int64_t projection_id,
                                                                const Target& target) {
  const PathSpec& spec = path.spec();
  cache::KeyBytes& bytes = cache::KeyBytes::scratch();
  bytes.number(generation_).pointer(&spec).number(projection_id);
  for (const FieldValue& value : target.regime) {
    if (const auto* number = std::get_if<std::int64_t>(&value))
      bytes.number(*number);
    else
      bytes.text(std::get<std::string>(value));
  }
  const cache::Key key = bytes.key();
  if (caches_ != nullptr)
    if (auto kept = caches_->regimes.find(key)) return kept;
  auto resolved = std::make_shared<const ResolvedRegimes>(path.steps().resolve(
      spec, target, store::find_regimes(connection_, spec, projection_id, target.regime)));
  if (caches_ == nullptr) return resolved;
  std::size_t held = sizeof(ResolvedRegimes);
  if (const auto* groups = std::get_if<RegimeGroups>(resolved.get()))
    held += groups->size() * (sizeof(store::RegimeRow) + spec.fields.size() * 2 * sizeof(FieldValue));
  return caches_->regimes.keep(key, std::move(resolved), held);
}

cache::Key CandidateSource::class_key(const PathSpec& spec, const store::RegimeRow& regime,
                                      SourceClass source_class) const {
  return cache::KeyBytes::scratch()
      .number(generation_)
      .pointer(&spec)
      .number(regime.regime_id)
      .tag(source_class == SourceClass::selected ? 's' : 'f')
      .key();
}

std::shared_ptr<const ClassPoints> CandidateSource::cached_class(const cache::Key& key) const {
  return caches_ == nullptr ? nullptr : caches_->classes.find(key);
}

std::shared_ptr<const ClassPoints> CandidateSource::load_class(const PathSpec& spec,
                                                               const store::RegimeRow& regime,
                                                               SourceClass source_class,
                                                               const cache::Key& key) {
  auto loaded = std::make_shared<const ClassPoints>(
      spec, store::find_class(connection_, spec, regime.regime_id, source_class));
  return caches_ == nullptr ? loaded : caches_->classes.keep(key, loaded, loaded->bytes());
}

std::shared_ptr<const ClassPoints> CandidateSource::whole_class(const PathSpec& spec,
                                                                const store::RegimeRow& regime,
                                                                SourceClass source_class) {
  const cache::Key key = class_key(spec, regime, source_class);
  auto all = cached_class(key);
  if (!all) all = load_class(spec, regime, source_class, key);
  if (excluded_ == nullptr || !all->holds(*excluded_)) return all;
  return std::make_shared<const ClassPoints>(spec, without(all->rows(), *excluded_));
}

std::optional<MeasuredPoint> CandidateSource::exact(const PathSpec& spec, const store::RegimeRow& regime,
                                                    SourceClass source_class,
                                                    const std::vector<std::int64_t>& coordinate) {
  if (excluded_ == nullptr)
    if (const auto all = cached_class(class_key(spec, regime, source_class))) {
      const MeasuredPoint* point = all->at(coordinate);
      return point == nullptr ? std::nullopt : std::optional(*point);
    }
  auto rows = store::find_exact(connection_, spec, regime.regime_id, source_class, coordinate);
  if (excluded_ != nullptr) rows = without(rows, *excluded_);
  if (rows.empty()) return std::nullopt;
  return merge_points(rows).front();
}

// Of a group that nothing was measured in, one set is kept whatever the coordinates outside the group are.
cache::Key CandidateSource::group_key(const PathSpec& spec, const cache::Key& whole, std::size_t group,
                                      const std::vector<std::int64_t>& coordinate, bool is_empty) {
  cache::KeyBytes& bytes = cache::KeyBytes::scratch();
  if (is_empty) return bytes.tag('e').pointer(&spec).number(static_cast<std::uint64_t>(group)).key();
  bytes.tag('g').number(whole.high).number(whole.low).number(static_cast<std::uint64_t>(group));
  const AxisGroup& axes = spec.groups[group];
  for (std::size_t axis = 0; axis < coordinate.size(); ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) bytes.number(coordinate[axis]);
  return bytes.key();
}

template <typename Make>
std::shared_ptr<const GroupPoints> CandidateSource::kept_group(const AxisGroup& axes, const cache::Key& key,
                                                               Make make) {
  if (caches_ == nullptr) return make();
  auto& kept = axes.size() == 1 ? caches_->lines : caches_->meshes;
  if (auto found = kept.find(key)) return found;
  auto made = make();
  return kept.keep(key, made, made->bytes());
}

std::shared_ptr<const GroupPoints> CandidateSource::group(const PathSpec& spec,
                                                          const store::RegimeRow& regime,
                                                          SourceClass source_class, std::size_t group,
                                                          const std::vector<std::int64_t>& coordinate) {
  const AxisGroup& axes = spec.groups[group];
  const cache::Key whole = class_key(spec, regime, source_class);
  auto all = cached_class(whole);
  if (!all && (regime.usable_rows <= kWholeClassRows || axes.size() == spec.axes.size()))
    all = load_class(spec, regime, source_class, whole);
  if (!all) return group_from_range(spec, regime, source_class, group, coordinate, whole);
  const bool filtered = excluded_ != nullptr && all->holds(*excluded_);
  if (filtered) all = std::make_shared<const ClassPoints>(spec, without(all->rows(), *excluded_));
  const std::vector<std::uint32_t>& members = all->of_group(group, coordinate);
  const auto make = [&] {
    std::vector<const MeasuredPoint*> points;
    points.reserve(members.size());
    for (const std::uint32_t i : members) points.push_back(&all->points()[i]);
    return std::make_shared<const GroupPoints>(spec, axes, std::move(points), all);
  };
  return filtered ? make()
                  : kept_group(axes, group_key(spec, whole, group, coordinate, members.empty()), make);
}

std::shared_ptr<const GroupPoints> CandidateSource::group_from_range(
    const PathSpec& spec, const store::RegimeRow& regime, SourceClass source_class, std::size_t group,
    const std::vector<std::int64_t>& coordinate, const cache::Key& whole) {
  const auto make = [&] {
    auto rows = store::find_group(connection_, spec, regime.regime_id, source_class, group, coordinate);
    if (excluded_ != nullptr) rows = without(rows, *excluded_);
    const auto points = std::make_shared<const std::vector<MeasuredPoint>>(merge_points(rows));
    return std::make_shared<const GroupPoints>(spec, spec.groups[group], pointers(*points), points);
  };
  if (excluded_ != nullptr) return make();
  return kept_group(spec.groups[group], group_key(spec, whole, group, coordinate, false), make);
}

std::vector<store::ExactRow> CandidateSource::base_exact(const Projection& projection,
                                                         const Signature& signature,
                                                         std::int64_t padded_blocks, bool padded) {
  const std::int64_t* id =
      projection.signature_id(static_cast<std::int64_t>(signature.size()), joined_dtypes(signature));
  if (id == nullptr) return {};
  auto rows = padded
                  ? store::find_base_padded(connection_, *id, padded_blocks)
                  : store::find_base_exact(connection_, *id, padded_blocks, base_exact::elements(signature));
  if (excluded_ != nullptr)
    std::erase_if(rows, [&](const auto& row) { return excluded_->contains(row.measurement_id); });
  return rows;
}

}  // namespace profdb
