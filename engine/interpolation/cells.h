// Which boxes can hold a point: a grid of cells over space, each with a list.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace profdb::interpolation {

template <std::size_t Dim>
struct Box {
  std::array<double, Dim> low;   // an empty box has low > high, and is found nowhere
  std::array<double, Dim> high;  // both ends included
};

template <std::size_t Dim>
class Cells {
 public:
  Cells() = default;

  // Each axis is cut into at most `slabs` slabs, halfway between neighbouring ones of the `coordinates` (Dim
  // per point): a box between two neighbours on a grid of points then lies in two slabs and not in three.
  Cells(std::span<const Box<Dim>> boxes, std::span<const double> coordinates, std::size_t slabs);

  // Indices, in rising order, of some of the boxes; those that contain `x` are among them.
  std::span<const std::int32_t> near(const double* x) const;

  // Whether box `i` contains `x`.
  bool contains(std::int32_t i, const double* x) const {
    const Box<Dim>& box = boxes_[static_cast<std::size_t>(i)];
    for (std::size_t axis = 0; axis < Dim; ++axis)
      if (x[axis] < box.low[axis] || x[axis] > box.high[axis]) return false;
    return true;
  }

  std::size_t bytes() const;

 private:
  std::size_t slab(std::size_t axis, double x) const;

  template <class Visit>
  void for_each_cell(const Box<Dim>& box, Visit visit) const;

  std::vector<Box<Dim>> boxes_;
  std::array<std::vector<double>, Dim> cuts_;
  std::vector<std::size_t> starts_;  // cell i lists members_[starts_[i]] up to members_[starts_[i + 1]]
  std::vector<std::int32_t> members_;
};

extern template class Cells<2>;
extern template class Cells<3>;

}  // namespace profdb::interpolation
