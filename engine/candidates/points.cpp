// Merging of duplicates, and the indexes and clouds made of the merged points.
#include "engine/candidates/points.h"
#include "base/statistics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace profdb {
namespace {

constexpr std::size_t kMatchedIds = 16;  // of a coordinate's duplicates, how many a result names

cache::Key key_of(const std::vector<std::int64_t>& coordinate) {
  cache::KeyBytes& bytes = cache::KeyBytes::scratch();
  for (const std::int64_t value : coordinate) bytes.number(value);
  return bytes.key();
}

// Of the coordinates outside the group.
cache::Key key_outside(const AxisGroup& group, const std::vector<std::int64_t>& coordinate) {
  cache::KeyBytes& bytes = cache::KeyBytes::scratch();
  for (std::size_t axis = 0; axis < coordinate.size(); ++axis)
    if (std::find(group.begin(), group.end(), axis) == group.end()) bytes.number(coordinate[axis]);
  return bytes.key();
}

// Where a key has its bit: `words` are a power of two.
std::size_t word_of(const std::vector<std::uint64_t>& words, const cache::Key& key) {
  return static_cast<std::size_t>(key.high >> 6U) & (words.size() - 1);
}
std::uint64_t bit_of(const cache::Key& key) {
  return std::uint64_t{1} << (key.high & 63U);
}

void set_median(MeasuredPoint& point) {
  if (point.latencies.size() == 1) {
    point.latency_us = point.latencies.front();
    return;
  }
  point.latency_us = median(point.latencies);
  const auto [low, high] = std::minmax_element(point.latencies.begin(), point.latencies.end());
  point.spread = (*high - *low) / point.latency_us;
}

std::size_t bytes_of(const MeasuredPoint& point) {
  return sizeof point +
         (point.coordinate.capacity() + point.measurement_ids.capacity()) * sizeof(std::int64_t) +
         point.latencies.capacity() * sizeof(double);
}

}  // namespace

std::vector<MeasuredPoint> merge_points(const std::vector<store::CandidateRow>& rows) {
  std::vector<MeasuredPoint> points;
  if (rows.size() == 1) {
    const store::CandidateRow& row = rows.front();
    points.push_back({row.coordinate, {row.measurement_id}, {row.latency_us}, row.latency_us, 0});
    return points;
  }
  points.reserve(rows.size());
  std::unordered_map<cache::Key, std::size_t, cache::KeyHash> index;
  index.reserve(rows.size());
  for (const store::CandidateRow& row : rows) {
    const auto [it, is_new] = index.emplace(key_of(row.coordinate), points.size());
    if (is_new) points.push_back({row.coordinate, {}, {}, 0, 0});
    points[it->second].measurement_ids.push_back(row.measurement_id);
    points[it->second].latencies.push_back(row.latency_us);
  }
  for (MeasuredPoint& point : points) set_median(point);
  return points;
}

MatchedRow matched_row(const PathSpec& spec, const MeasuredPoint& point, std::optional<double> weight) {
  MatchedRow row;
  const auto shown = std::min(point.measurement_ids.size(), kMatchedIds);
  row.measurement_ids.assign(point.measurement_ids.begin(),
                             point.measurement_ids.begin() + static_cast<std::ptrdiff_t>(shown));
  row.row_count = point.measurement_ids.size();
  row.spread = point.spread;
  row.coordinate.reserve(spec.axes.size());
  for (std::size_t i = 0; i < spec.axes.size(); ++i)
    if (point.coordinate[i] != kNoAxis) row.coordinate.emplace_back(spec.axes[i], point.coordinate[i]);
  row.latency_us = point.latency_us;
  row.weight = weight;
  return row;
}

std::vector<store::CandidateRow> without(const std::vector<store::CandidateRow>& rows,
                                         const Excluded& excluded) {
  std::vector<store::CandidateRow> kept;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(kept),
               [&](const auto& row) { return !excluded.contains(row.measurement_id); });
  return kept;
}

ClassPoints::ClassPoints(const PathSpec& spec, std::vector<store::CandidateRow> rows)
    : spec_(spec), rows_(std::move(rows)), points_(merge_points(rows_)), groups_(spec.groups.size()) {
  by_coordinate_.reserve(points_.size());
  for (std::size_t i = 0; i < points_.size(); ++i) {
    by_coordinate_.emplace(key_of(points_[i].coordinate), static_cast<std::uint32_t>(i));
    ambiguous_ = ambiguous_ || points_[i].spread > kAmbiguousSpread;
  }
}

const MeasuredPoint* ClassPoints::at(const std::vector<std::int64_t>& coordinate) const {
  const auto it = by_coordinate_.find(key_of(coordinate));
  return it == by_coordinate_.end() ? nullptr : &points_[it->second];
}

void ClassPoints::make(Group& group, const AxisGroup& axes) const {
  for (std::size_t i = 0; i < points_.size(); ++i)
    group.index[key_outside(axes, points_[i].coordinate)].push_back(static_cast<std::uint32_t>(i));
  group.slots.resize(std::bit_ceil(group.index.size() / 8 + 1));  // 8 bits or more per key
  for (const auto& [key, members] : group.index) group.slots[word_of(group.slots, key)] |= bit_of(key);
}

const std::vector<std::uint32_t>& ClassPoints::of_group(std::size_t group,
                                                        const std::vector<std::int64_t>& coordinate) const {
  static const std::vector<std::uint32_t> none;
  Group& made = groups_[group];
  const AxisGroup& axes = spec_.groups[group];
  std::call_once(made.once, [&] { make(made, axes); });
  const cache::Key key = key_outside(axes, coordinate);
  if ((made.slots[word_of(made.slots, key)] & bit_of(key)) == 0) return none;
  const auto it = made.index.find(key);
  return it == made.index.end() ? none : it->second;
}

bool ClassPoints::holds(const Excluded& excluded) const {
  return std::any_of(rows_.begin(), rows_.end(),
                     [&](const auto& row) { return excluded.contains(row.measurement_id); });
}

std::size_t ClassPoints::bytes() const {
  constexpr std::size_t kIndexEntry = 64;  // of a hash map, by point and group
  std::size_t total = sizeof *this + points_.size() * kIndexEntry * (1 + groups_.size());
  for (const MeasuredPoint& point : points_) total += bytes_of(point);
  return total + rows_.size() * (sizeof(store::CandidateRow) + spec_.axes.size() * sizeof(std::int64_t));
}

GroupPoints::GroupPoints(const PathSpec& spec, const AxisGroup& group, std::vector<MeasuredPoint> points,
                         const AxisTransform& square_root)
    : spec_(spec), group_(group), points_(std::move(points)) {
  if (spec.ambiguity_closes_coordinate)
    std::erase_if(points_, [](const MeasuredPoint& p) { return p.spread > kAmbiguousSpread; });
  for (const std::size_t axis : group_)
    square_root_.push_back(axis < square_root.size() && square_root[axis]);
  coordinates_.reserve(points_.size() * group_.size());
  latencies_.reserve(points_.size());
  for (const std::size_t axis : group_)
    measured_.push_back({std::string(spec.axes[axis]), std::numeric_limits<double>::infinity(),
                         -std::numeric_limits<double>::infinity()});
  for (const MeasuredPoint& point : points_) {
    candidate_count_ += point.measurement_ids.size();
    latencies_.push_back(point.latency_us);
    for (std::size_t i = 0; i < group_.size(); ++i) {
      const auto value = point.coordinate[group_[i]];
      coordinates_.push_back(scaled(i, value));
      measured_[i].low = std::min(measured_[i].low, static_cast<double>(value));
      measured_[i].high = std::max(measured_[i].high, static_cast<double>(value));
    }
  }
  if (points_.empty()) measured_.clear();
  if (group_.size() == 1) set_line();
}

double GroupPoints::scaled(std::size_t i, std::int64_t value) const {
  const auto x = static_cast<double>(value);
  return square_root_[i] ? std::sqrt(x) : x;
}

void GroupPoints::set_line() {
  line_.order.resize(points_.size());
  std::iota(line_.order.begin(), line_.order.end(), std::size_t{0});
  std::sort(line_.order.begin(), line_.order.end(),
            [&](auto a, auto b) { return coordinates_[a] < coordinates_[b]; });
  for (const std::size_t i : line_.order) {
    line_.xs.push_back(coordinates_[i]);
    line_.ys.push_back(latencies_[i]);
  }
}

const GroupPoints::Mesh& GroupPoints::mesh() const {
  std::call_once(mesh_once_, [&] {
    mesh_ = interpolation::Triangulation::build(coordinates_, static_cast<int>(group_.size()));
  });
  return mesh_;
}

std::size_t GroupPoints::bytes() const {
  // Measured on grids and on scattered clouds: simplices per point, and what each takes with its cells.
  static constexpr std::array<std::size_t, 4> kPerPoint = {0, 24, 320, 1680};
  std::size_t total = sizeof *this + coordinates_.size() * sizeof(double) +
                      points_.size() * (sizeof(double) + kPerPoint.at(group_.size()));
  for (const MeasuredPoint& point : points_) total += bytes_of(point);
  return total;
}

}  // namespace profdb
