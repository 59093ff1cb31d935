// Loading of regimes, classes and groups, and what of them is kept.
#include "engine/candidates/candidate_source.h"

#include <algorithm>

namespace profdb {
namespace {

// Regimes up to this many rows are read whole at the first interpolation: all their axis groups are then
// answered in memory. Larger ones are read group by group, range by range.
constexpr std::int64_t kWholeClassRows = 8192;

// A class of the base exact match is read whole once it has been asked this often: a few calls are cheaper by
// single probes.
constexpr int kAskedOften = 64;
constexpr int kTooMany = -1;  // instead of a count: never read whole

}  // namespace

std::shared_ptr<const ResolvedRegimes> CandidateSource::regimes(const PathSpec& spec,
                                                                const RegimeResolver& resolver,
                                                                std::int64_t projection_id,
                                                                const std::vector<FieldValue>& target) {
  cache::KeyBytes& bytes = cache::KeyBytes::scratch();
  bytes.number(generation_).pointer(&spec).number(projection_id);
  for (const FieldValue& value : target) {
    if (const auto* number = std::get_if<std::int64_t>(&value))
      bytes.number(*number);
    else
      bytes.text(std::get<std::string>(value));
  }
  const cache::Key key = bytes.key();
  if (caches_ != nullptr)
    if (auto kept = caches_->regimes.find(key)) return kept;
  auto resolved = std::make_shared<const ResolvedRegimes>(
      resolver.resolve(spec, target, store::find_regimes(connection_, spec, projection_id, target)));
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

cache::Key CandidateSource::group_key(const PathSpec& spec, const cache::Key& whole, std::size_t group,
                                      const std::vector<std::int64_t>& coordinate) {
  cache::KeyBytes& bytes = cache::KeyBytes::scratch();
  bytes.number(whole.high).number(whole.low).number(static_cast<std::uint64_t>(group));
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
  const bool same =
      latest_.spec == &spec && latest_.regime_id == regime.regime_id && latest_.source_class == source_class;
  if (!same) {
    const cache::Key key = class_key(spec, regime, source_class);
    latest_ = {&spec, regime.regime_id, source_class, key, cached_class(key)};
  }
  if (!latest_.points && regime.usable_rows <= kWholeClassRows)
    latest_.points = load_class(spec, regime, source_class, latest_.key);
  if (!latest_.points) return group_from_range(spec, regime, source_class, group, coordinate, latest_.key);
  auto all = latest_.points;
  const bool filtered = excluded_ != nullptr && all->holds(*excluded_);
  if (filtered) all = std::make_shared<const ClassPoints>(spec, without(all->rows(), *excluded_));
  const std::vector<std::uint32_t>& members = all->of_group(group, coordinate);
  if (members.empty()) return nullptr;
  // With points of its own: a set that is kept must not keep the whole class alive.
  const auto make = [&] {
    std::vector<MeasuredPoint> points;
    points.reserve(members.size());
    for (const std::uint32_t i : members) points.push_back(all->points()[i]);
    return std::make_shared<const GroupPoints>(spec, axes, std::move(points));
  };
  return filtered ? make() : kept_group(axes, group_key(spec, latest_.key, group, coordinate), make);
}

std::shared_ptr<const GroupPoints> CandidateSource::group_from_range(
    const PathSpec& spec, const store::RegimeRow& regime, SourceClass source_class, std::size_t group,
    const std::vector<std::int64_t>& coordinate, const cache::Key& whole) {
  const auto make = [&] {
    auto rows = store::find_group(connection_, spec, regime.regime_id, source_class, group, coordinate);
    if (excluded_ != nullptr) rows = without(rows, *excluded_);
    return std::make_shared<const GroupPoints>(spec, spec.groups[group], merge_points(rows));
  };
  if (excluded_ != nullptr) return make();
  return kept_group(spec.groups[group], group_key(spec, whole, group, coordinate), make);
}

// The rows in memory, where they have been asked for often and are not too many.
std::shared_ptr<const ExactRows> CandidateSource::exact_rows(const Projection::Signatures& signatures) {
  if (caches_ == nullptr || signatures.asked == kTooMany) return nullptr;
  const cache::Key key =
      cache::KeyBytes::scratch().tag('x').number(generation_).number(signatures.signature_id).key();
  if (auto kept = caches_->exact_rows.find(key)) return kept;
  if (++signatures.asked < kAskedOften) return nullptr;
  auto rows = store::list_base_exact(connection_, signatures.signature_id, kWholeClassRows + 1);
  if (static_cast<std::int64_t>(rows.size()) > kWholeClassRows) {
    signatures.asked = kTooMany;
    return nullptr;
  }
  signatures.asked = 0;  // should it give way, it must be asked for as often again
  auto made = std::make_shared<const ExactRows>(std::move(rows));
  if (!caches_->exact_rows.fits(made->bytes())) signatures.asked = kTooMany;
  return caches_->exact_rows.keep(key, made, made->bytes());
}

void CandidateSource::base_exact(const Projection::Signatures& signatures, std::int64_t padded_blocks,
                                 const std::string* elements, const store::VisitExact& visit) {
  const auto visit_included = [&](const store::ExactRow& row) {
    if (!excluded_->contains(row.measurement_id)) visit(row);
  };
  const store::VisitExact filtered = excluded_ == nullptr ? store::VisitExact() : visit_included;
  const store::VisitExact& shown = excluded_ == nullptr ? visit : filtered;
  if (const auto rows = exact_rows(signatures))
    rows->visit(padded_blocks, elements, shown);
  else if (elements != nullptr)
    store::find_base_exact(connection_, signatures.signature_id, padded_blocks, *elements, shown);
  else
    store::find_base_padded(connection_, signatures.signature_id, padded_blocks, shown);
}

}  // namespace profdb
