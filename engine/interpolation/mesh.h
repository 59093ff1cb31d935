// A triangulation ready to be asked which of its simplices holds a point.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/interpolation/cells.h"
#include "engine/interpolation/linear.h"
#include "engine/interpolation/qhull.h"

namespace profdb::interpolation {

// Finds the same simplex as SciPy's find_simplex, by the same three searches with the same tolerances; where
// a point lies on a shared face, which of the simplices is found depends on both. Immutable.
template <std::size_t Dim>
class Mesh {
 public:
  Mesh(const LowerHull& hull, std::span<const double> coordinates);

  // `cursor` is where the search begins (any number will do) and where it ended, to begin the next one.
  std::optional<Combination> locate(const double* x, int& cursor) const;

  std::size_t size() const { return simplices_.size(); }
  std::size_t bytes() const { return simplices_.capacity() * sizeof(Simplex) + cells_.bytes(); }

 private:
  using Point = std::array<double, Dim>;
  using Lifted = std::array<double, Dim + 1>;
  using Weights = std::array<double, Dim + 1>;

  // All that one step of a search reads, side by side in memory.
  struct Simplex {
    std::array<double, Dim * Dim> inverse;  // by rows: turns x - origin into all weights but the last
    Point origin;                           // the last corner
    std::array<double, Dim + 2> plane;      // of the lifted simplex
    std::array<std::int32_t, Dim + 1> neighbours;
    std::array<std::int32_t, Dim + 1> vertices;

    bool degenerate() const { return inverse[0] != inverse[0]; }
    double weight(const double* x, const Weights& so_far, std::size_t corner) const;
    Weights weights(const double* x) const;
    double height(const Lifted& point) const;
  };

  void set_transform(Simplex& simplex, std::span<const double> coordinates) const;
  Box<Dim> reach(const Simplex& simplex, std::span<const double> coordinates) const;
  Box<Dim> reach_around(const Simplex& degenerate, std::span<const Box<Dim>> reaches) const;
  void set_cells(std::span<const double> coordinates);
  const Simplex& at(int index) const { return simplices_[static_cast<std::size_t>(index)]; }
  bool outside_box(const double* x) const;
  int climb(const double* x, int from) const;
  bool walk(const double* x, int& cursor, Weights& weights) const;
  int search_all(const double* x, Weights& weights) const;
  int search_around(const double* x, int degenerate, Weights& weights) const;

  std::vector<Simplex> simplices_;
  Cells<Dim> cells_;  // of the reaches of all simplices, for search_all
  Point low_{};
  Point high_{};
  double scale_;
  double shift_;
};

extern template class Mesh<2>;
extern template class Mesh<3>;

}  // namespace profdb::interpolation
