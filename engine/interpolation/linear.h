// Linear interpolation between measured points in one, two and three dimensions: pure geometry, which knows
// nothing of operators, SQL or files (contract §5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace profdb::interpolation {

// Why geometry has no value for a target.
enum class Problem {
  insufficient_points,     // fewer points than the dimension needs
  outside_boundary,        // 1D: outside the measured interval
  degenerate_axes,         // fewer than two values on an axis
  degenerate_point_cloud,  // the rank of the cloud is below the dimension
  triangulation_failed,    // Qhull gave up; the message says why
  outside_convex_hull,
};

// A target as a weighted sum of measured points: value = sum(weights[i] * values[points[i]]).
struct Combination {
  std::size_t count = 0;                // points in use: 1 or 2 in 1D, dim + 1 in 2D and 3D
  std::array<std::size_t, 4> points{};  // indices into the points as given, in Qhull's order of vertices
  std::array<double, 4> weights{};
};

// 1D. `xs` strictly rising, at least one. The nearest points below and above `x`; one point of weight 1 where
// x coincides. Returns outside_boundary otherwise. value() of it is y0 + (y1 - y0) * (x - x0) / (x1 - x0).
std::variant<Combination, Problem> bracket(std::span<const double> xs, double x);
double interpolate_1d(const Combination& at, std::span<const double> xs, std::span<const double> values,
                      double x);

// Delaunay triangulation of 2D or 3D points by Qhull's reentrant library with options
// "qhull d Qbb Qc Qz Q12 Qt", points in the order given. Immutable once built; any number of threads may call
// locate() at the same time. Reproduces SciPy's LinearNDInterpolator, including its tolerances.
class Triangulation {
 public:
  struct Failure {
    Problem problem;
    std::string message;  // Qhull's own words for triangulation_failed, else empty
  };

  // `coordinates` holds count * dim numbers, point after point; no two points may be equal. dim is 2 or 3.
  static std::variant<std::shared_ptr<const Triangulation>, Failure> build(
      std::span<const double> coordinates, int dim);

  // The simplex that holds `x` (dim numbers) and its barycentric weights, or nothing outside the hull.
  // `hint` (optional, in and out) is the simplex to start the walk from, as a caller-held cursor.
  std::optional<Combination> locate(std::span<const double> x, int* hint = nullptr) const;

  int dim() const;
  std::size_t simplex_count() const;
  std::size_t bytes() const;  // resident size, for cache budgets

  ~Triangulation();
  Triangulation(const Triangulation&) = delete;
  Triangulation& operator=(const Triangulation&) = delete;

 private:
  struct Data;
  explicit Triangulation(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

}  // namespace profdb::interpolation
