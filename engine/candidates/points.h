// Measured coordinates, and the sets of them that interpolation works on. Everything here is immutable once
// made and may be shared by threads.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/cache/key.h"
#include "engine/interpolation/linear.h"
#include "engine/store/candidates.h"
#include "engine/store/path_spec.h"
#include "profdb/result.h"

namespace profdb {

// A coordinate with everything that was measured there.
struct MeasuredPoint {
  std::vector<std::int64_t> coordinate;
  std::vector<std::int64_t> measurement_ids;  // in row order
  std::vector<double> latencies;              // along measurement_ids
  double latency_us = 0;                      // their median
  double spread = 0;                          // (max - min) / median
};

// Merges equal coordinates, each at its first row; rows must come in row order.
std::vector<MeasuredPoint> merge_points(const std::vector<store::CandidateRow>& rows);

// The point as a result shows it.
MatchedRow matched_row(const PathSpec& spec, const MeasuredPoint& point, std::optional<double> weight);

// Duplicates further apart than this make a coordinate ambiguous in the paths that fail closed (contract §5).
inline constexpr double kAmbiguousSpread = 0.10;

// Measurements that a lookup must not see: hold-out leaves them out.
using Excluded = std::set<std::int64_t>;

// The rows that are not excluded.
std::vector<store::CandidateRow> without(const std::vector<store::CandidateRow>& rows,
                                         const Excluded& excluded);

// The candidates of one source class of one regime, with the indexes that answer for them: by coordinate, and
// per axis group by the coordinates on the axes outside the group.
class ClassPoints {
 public:
  // `rows` in row order; `spec` must outlive the set.
  ClassPoints(const PathSpec& spec, std::vector<store::CandidateRow> rows);
  ClassPoints(const ClassPoints&) = delete;
  ClassPoints& operator=(const ClassPoints&) = delete;

  const PathSpec& spec() const { return spec_; }
  const std::vector<store::CandidateRow>& rows() const { return rows_; }
  const std::vector<MeasuredPoint>& points() const { return points_; }  // merged, in row order
  bool is_ambiguous() const { return ambiguous_; }  // some coordinate is (contract §8, §9)

  // nullptr where nothing was measured at `coordinate`.
  const MeasuredPoint* at(const std::vector<std::int64_t>& coordinate) const;
  // Indices into points(), in row order, of those that equal `coordinate` outside the group.
  const std::vector<std::uint32_t>& of_group(std::size_t group,
                                             const std::vector<std::int64_t>& coordinate) const;
  bool holds(const Excluded& excluded) const;

  std::size_t bytes() const;

 private:
  using Index = std::unordered_map<cache::Key, std::vector<std::uint32_t>, cache::KeyHash>;
  struct Group {  // made when first asked for
    std::once_flag once;
    Index index;
    // One bit per slot that some key of the index falls into: most coordinates that nothing shares are told
    // by it.
    std::vector<std::uint64_t> slots;
  };
  void make(Group& group, const AxisGroup& axes) const;

  const PathSpec& spec_;
  std::vector<store::CandidateRow> rows_;
  std::vector<MeasuredPoint> points_;
  std::unordered_map<cache::Key, std::uint32_t, cache::KeyHash> by_coordinate_;
  mutable std::vector<Group> groups_;  // along PathSpec::groups
  bool ambiguous_ = false;
};

// How an axis is measured: the coordinate itself, or its square root (axis_transform: sqrt_seq).
using AxisTransform =
    std::vector<bool>;  // along PathSpec::axes: true takes the square root; empty: none does

// The points of one attempt to interpolate: equal to a target outside an axis group, ready for geometry.
class GroupPoints {
 public:
  // `points` in row order. Of a path where ambiguity closes a coordinate, ambiguous points are left out.
  // `spec` must outlive the set.
  GroupPoints(const PathSpec& spec, const AxisGroup& group, std::vector<MeasuredPoint> points,
              const AxisTransform& square_root = {});
  GroupPoints(const GroupPoints&) = delete;
  GroupPoints& operator=(const GroupPoints&) = delete;

  const PathSpec& spec() const { return spec_; }
  const AxisGroup& group() const { return group_; }
  const std::vector<MeasuredPoint>& points() const { return points_; }
  std::size_t candidate_count() const { return candidate_count_; }
  const std::vector<Boundary>& measured() const { return measured_; }  // range per axis; empty without points
  const std::vector<double>& latencies() const { return latencies_; }  // along points()
  // `value` of axis number `i` of the group as geometry measures it.
  double scaled(std::size_t i, std::int64_t value) const;

  // Of a group of one axis: the points by rising coordinate.
  struct Line {
    std::vector<double> xs;
    std::vector<double> ys;
    std::vector<std::size_t> order;  // indices into points()
  };
  const Line& line() const { return line_; }

  // Of two or three axes. Made by the first who asks.
  using Mesh = std::variant<std::shared_ptr<const interpolation::Triangulation>,
                            interpolation::Triangulation::Failure>;
  const Mesh& mesh() const;

  // Resident size; the triangulation is counted as it will be.
  std::size_t bytes() const;

 private:
  void set_line();

  const PathSpec& spec_;
  AxisGroup group_;
  std::vector<MeasuredPoint> points_;
  std::vector<bool> square_root_;  // along the group
  std::size_t candidate_count_ = 0;
  std::vector<Boundary> measured_;
  std::vector<double> coordinates_;  // point after point, scaled
  std::vector<double> latencies_;
  Line line_;
  mutable std::once_flag mesh_once_;
  mutable Mesh mesh_;
};

}  // namespace profdb
