// The one place that talks to Qhull: points in, the facets of their Delaunay triangulation out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace profdb::interpolation {

// The lower hull of the points lifted onto a paraboloid: each facet there is a simplex of the triangulation.
// Facets are in Qhull's order; the k-th neighbour of a facet is opposite its k-th vertex.
struct LowerHull {
  std::vector<std::int32_t> vertices;    // dim + 1 per facet: indices into the points as given
  std::vector<std::int32_t> neighbours;  // dim + 1 per facet; -1 where the triangulation ends
  std::vector<double> planes;            // dim + 2 per facet: unit normal in the lifted space, then offset
  double scale = 1.0;                    // a point x is lifted to height scale * |x|^2 + shift
  double shift = 0.0;
};

// Runs Qhull with "qhull d Qbb Qc Qz Q12 Qt" (contract §5). `coordinates` holds count * dim numbers. The
// alternative is Qhull's error message. Reentrant: every call has its own Qhull state, and leaves none
// behind.
std::variant<LowerHull, std::string> lower_hull(std::span<const double> coordinates, int dim);

}  // namespace profdb::interpolation
