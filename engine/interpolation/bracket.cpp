// Linear interpolation on one axis, between the nearest measured points (contract §5, linear_1d).
#include <algorithm>

#include "engine/interpolation/linear.h"

namespace profdb::interpolation {

std::variant<Combination, Problem> bracket(std::span<const double> xs, double x) {
  if (xs.empty()) return Problem::insufficient_points;
  // Negated, so that NaN counts as outside.
  if (!(xs.front() <= x && x <= xs.back())) return Problem::outside_boundary;

  const auto above = std::ranges::lower_bound(xs, x);
  const auto i = static_cast<std::size_t>(above - xs.begin());
  if (*above == x) return Combination{.count = 1, .points = {i}, .weights = {1.0}};
  const double t = (x - xs[i - 1]) / (xs[i] - xs[i - 1]);
  return Combination{.count = 2, .points = {i - 1, i}, .weights = {1.0 - t, t}};
}

// Not the weighted sum: this order of operations is the contract's, and exact where both values are equal.
double interpolate_1d(const Combination& at, std::span<const double> xs, std::span<const double> values,
                      double x) {
  const std::size_t low = at.points[0];
  if (at.count == 1) return values[low];
  const std::size_t high = at.points[1];
  return values[low] + (values[high] - values[low]) * (x - xs[low]) / (xs[high] - xs[low]);
}

}  // namespace profdb::interpolation
