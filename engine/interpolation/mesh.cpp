// Point location in a Delaunay triangulation, step for step as SciPy's interpolator does it.
#include "engine/interpolation/mesh.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

namespace profdb::interpolation {
namespace {

constexpr int kNone = -1;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kTolerance = 100 * kEpsilon;           // of a weight (contract §5)
constexpr double kBroadTolerance = 0x1p-26;             // sqrt(kEpsilon), towards a degenerate simplex
constexpr double kSmallestCondition = 1000 * kEpsilon;  // reciprocal; below it a simplex counts as flat

bool is_weight(double w) {
  return -kTolerance <= w && w <= 1 + kTolerance;
}

}  // namespace

template <std::size_t Dim>
Mesh<Dim>::Mesh(const LowerHull& hull, std::span<const double> coordinates)
    : simplices_(hull.vertices.size() / (Dim + 1)), scale_(hull.scale), shift_(hull.shift) {
  for (std::size_t i = 0; i < simplices_.size(); ++i) {
    Simplex& simplex = simplices_[i];
    std::copy_n(&hull.vertices[i * (Dim + 1)], Dim + 1, simplex.vertices.begin());
    std::copy_n(&hull.neighbours[i * (Dim + 1)], Dim + 1, simplex.neighbours.begin());
    std::copy_n(&hull.planes[i * (Dim + 2)], Dim + 2, simplex.plane.begin());
    set_transform(simplex, coordinates);
  }
  low_.fill(std::numeric_limits<double>::infinity());
  high_.fill(-std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    low_[i % Dim] = std::min(low_[i % Dim], coordinates[i]);
    high_[i % Dim] = std::max(high_[i % Dim], coordinates[i]);
  }
  set_cells(coordinates);
}

template <std::size_t Dim>
void Mesh<Dim>::set_transform(Simplex& simplex, std::span<const double> coordinates) const {
  using Matrix = Eigen::Matrix<double, static_cast<int>(Dim), static_cast<int>(Dim)>;
  const auto corner = [&](std::size_t k) {
    return coordinates.subspan(static_cast<std::size_t>(simplex.vertices[k]) * Dim, Dim);
  };
  std::ranges::copy(corner(Dim), simplex.origin.begin());

  // One edge a column, and so its transpose in Eigen's order, which is what SciPy hands to LAPACK: the pivots
  // decide the last digits.
  std::array<double, Dim * Dim> edges{};
  for (std::size_t i = 0; i < Dim; ++i)
    for (std::size_t j = 0; j < Dim; ++j) edges[i * Dim + j] = corner(j)[i] - simplex.origin[i];

  const Eigen::PartialPivLU<Matrix> lu{Eigen::Map<const Matrix>(edges.data())};
  const bool singular = (lu.matrixLU().diagonal().array() == 0).any();
  if (singular || !(lu.rcond() >= kSmallestCondition)) {
    simplex.inverse.fill(std::numeric_limits<double>::quiet_NaN());
    simplex.origin.fill(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  Eigen::Map<Matrix>(simplex.inverse.data()) = lu.solve(Matrix::Identity());
}

// A box with all points whose weights, as computed, can pass for inside. Weights are off by rounding errors
// of up to some 1e-2 where the condition is at its limit, so the points can be off by that part of an edge.
template <std::size_t Dim>
Box<Dim> Mesh<Dim>::reach(const Simplex& simplex, std::span<const double> coordinates) const {
  constexpr double kSlack = 0.25;
  Box<Dim> box{};
  for (std::size_t i = 0; i < Dim; ++i) {
    const auto coordinate = [&](std::int32_t v) {
      return coordinates[static_cast<std::size_t>(v) * Dim + i];
    };
    const auto [first, last] = std::ranges::minmax(simplex.vertices, {}, coordinate);
    const double low = coordinate(first);
    const double high = coordinate(last);
    box.low[i] = low - kSlack * (high - low);
    box.high[i] = high + kSlack * (high - low);
  }
  return box;
}

// A degenerate simplex answers through its neighbours.
template <std::size_t Dim>
Box<Dim> Mesh<Dim>::reach_around(const Simplex& degenerate, std::span<const Box<Dim>> reaches) const {
  Box<Dim> box;
  box.low.fill(std::numeric_limits<double>::infinity());
  box.high.fill(-std::numeric_limits<double>::infinity());
  for (const int neighbour : degenerate.neighbours) {
    if (neighbour == kNone || at(neighbour).degenerate()) continue;
    const Box<Dim>& other = reaches[static_cast<std::size_t>(neighbour)];
    for (std::size_t i = 0; i < Dim; ++i) {
      box.low[i] = std::min(box.low[i], other.low[i]);
      box.high[i] = std::max(box.high[i], other.high[i]);
    }
  }
  return box;
}

template <std::size_t Dim>
void Mesh<Dim>::set_cells(std::span<const double> coordinates) {
  std::vector<Box<Dim>> reaches;
  for (const Simplex& simplex : simplices_) reaches.push_back(reach(simplex, coordinates));
  bool any_degenerate = false;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!simplices_[i].degenerate()) continue;
    any_degenerate = true;
    reaches[i] = reach_around(simplices_[i], reaches);  // of sound neighbours, whose reaches stay
  }
  // Walks fail where there are degenerate simplices, as on regular grids in 3D; else one list will do.
  constexpr std::size_t kSlabs = Dim == 2 ? 32 : 24;
  cells_ = Cells<Dim>(reaches, coordinates, any_degenerate ? kSlabs : 1);
}

// One weight at a time, for a walk often leaves a simplex after the first. The last needs all the others.
template <std::size_t Dim>
double Mesh<Dim>::Simplex::weight(const double* x, const Weights& so_far, std::size_t corner) const {
  if (corner == Dim) {
    double rest = 1;
    for (std::size_t i = 0; i < Dim; ++i) rest -= so_far[i];
    return rest;
  }
  double w = 0;
  for (std::size_t j = 0; j < Dim; ++j) w += inverse[corner * Dim + j] * (x[j] - origin[j]);
  return w;
}

template <std::size_t Dim>
auto Mesh<Dim>::Simplex::weights(const double* x) const -> Weights {
  Weights all{};
  for (std::size_t k = 0; k <= Dim; ++k) all[k] = weight(x, all, k);
  return all;
}

template <std::size_t Dim>
double Mesh<Dim>::Simplex::height(const Lifted& point) const {
  double distance = plane[Dim + 1];
  for (std::size_t k = 0; k <= Dim; ++k) distance += plane[k] * point[k];
  return distance;
}

template <std::size_t Dim>
bool Mesh<Dim>::outside_box(const double* x) const {
  for (std::size_t i = 0; i < Dim; ++i)
    if (x[i] < low_[i] - kTolerance || x[i] > high_[i] + kTolerance) return true;
  return false;
}

// Goes from simplex to simplex while the lifted point comes to lie higher over the lifted simplex, until it
// is above one: the simplex that holds it is such a one, and then near.
template <std::size_t Dim>
int Mesh<Dim>::climb(const double* x, int from) const {
  Lifted lifted{};
  double square = 0;
  for (std::size_t i = 0; i < Dim; ++i) {
    lifted[i] = x[i];
    square += x[i] * x[i];
  }
  lifted[Dim] = square * scale_ + shift_;

  int here = from;
  double best = at(here).height(lifted);
  for (bool moved = true; moved && best <= 0;) {
    moved = false;
    for (std::size_t k = 0; k <= Dim; ++k) {  // not begun anew after a move, as in SciPy
      const int next = at(here).neighbours[k];
      if (next == kNone) continue;
      const double height = at(next).height(lifted);
      if (!(height > best + kTolerance * (1 + std::abs(best)))) continue;
      here = next;
      best = height;
      moved = true;
    }
  }
  return here;
}

// Crosses, again and again, the first face that has the point on its far side. In a sound triangulation that
// ends in the right simplex or outside; degenerate simplices can block or turn it, hence the limit.
template <std::size_t Dim>
bool Mesh<Dim>::walk(const double* x, int& cursor, Weights& weights) const {
  const std::size_t limit = 1 + size() / 4;
  for (std::size_t step = 0; step < limit; ++step) {
    const Simplex& simplex = at(cursor);
    bool inside = true;
    std::optional<std::size_t> exit;
    for (std::size_t k = 0; k <= Dim && !exit; ++k) {
      weights[k] = simplex.weight(x, weights, k);
      if (weights[k] < -kTolerance) exit = k;
      if (!is_weight(weights[k])) inside = false;
    }
    if (inside) return true;
    if (!exit) break;  // NaN: degenerate
    const int next = simplex.neighbours[*exit];
    if (next == kNone) return false;  // the triangulation is convex: outside for certain
    cursor = next;
  }
  cursor = search_all(x, weights);
  return cursor != kNone;
}

// The first simplex of all that holds the point; those that the cells leave out cannot.
template <std::size_t Dim>
int Mesh<Dim>::search_all(const double* x, Weights& weights) const {
  for (const std::int32_t i : cells_.near(x)) {
    if (!cells_.contains(i, x)) continue;
    if (at(i).degenerate()) {
      const int found = search_around(x, i, weights);
      if (found != kNone) return found;
      continue;
    }
    weights = at(i).weights(x);
    if (std::ranges::all_of(weights, is_weight)) return i;
  }
  return kNone;
}

// A point in a simplex too flat for weights belongs to a neighbour, which may have it a little outside of the
// face they share.
template <std::size_t Dim>
int Mesh<Dim>::search_around(const double* x, int degenerate, Weights& weights) const {
  for (const int neighbour : at(degenerate).neighbours) {
    if (neighbour == kNone || at(neighbour).degenerate() || !cells_.contains(neighbour, x)) continue;
    weights = at(neighbour).weights(x);
    bool inside = true;
    for (std::size_t k = 0; k <= Dim; ++k) {
      const bool shared = at(neighbour).neighbours[k] == degenerate;
      inside =
          inside && weights[k] >= (shared ? -kBroadTolerance : -kTolerance) && weights[k] <= 1 + kTolerance;
    }
    if (inside) return neighbour;
  }
  return kNone;
}

template <std::size_t Dim>
std::optional<Combination> Mesh<Dim>::locate(const double* x, int& cursor) const {
  if (simplices_.empty() || outside_box(x)) return std::nullopt;
  if (cursor < 0 || cursor >= static_cast<int>(size())) cursor = 0;
  cursor = climb(x, cursor);
  Weights weights{};
  if (!walk(x, cursor, weights)) return std::nullopt;

  Combination found{.count = Dim + 1};
  for (std::size_t k = 0; k <= Dim; ++k) {
    found.points[k] = static_cast<std::size_t>(at(cursor).vertices[k]);
    found.weights[k] = weights[k];
  }
  return found;
}

template class Mesh<2>;
template class Mesh<3>;

}  // namespace profdb::interpolation
