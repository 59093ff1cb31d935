// Sorts boxes into the cells of a grid.
#include "engine/interpolation/cells.h"

#include <algorithm>
#include <numeric>

namespace profdb::interpolation {
namespace {

std::vector<double> cuts_between(std::vector<double> values, std::size_t slabs) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  slabs = std::min(slabs, values.size());
  std::vector<double> cuts;
  for (std::size_t i = 1; i < slabs; ++i) {
    const std::size_t k = i * values.size() / slabs;
    cuts.push_back(std::midpoint(values[k - 1], values[k]));
  }
  return cuts;
}

}  // namespace

template <std::size_t Dim>
Cells<Dim>::Cells(std::span<const Box<Dim>> boxes, std::span<const double> coordinates, std::size_t slabs)
    : boxes_(boxes.begin(), boxes.end()) {
  std::size_t cells = 1;
  for (std::size_t axis = 0; axis < Dim; ++axis) {
    std::vector<double> values;
    for (std::size_t i = axis; i < coordinates.size(); i += Dim) values.push_back(coordinates[i]);
    cuts_[axis] = cuts_between(std::move(values), slabs);
    cells *= cuts_[axis].size() + 1;
  }
  starts_.resize(cells + 1);
  for (const auto& box : boxes) for_each_cell(box, [&](std::size_t cell) { ++starts_[cell + 1]; });
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());

  members_.resize(starts_.back());
  std::vector<std::size_t> next = starts_;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for_each_cell(boxes[i], [&](std::size_t cell) { members_[next[cell]++] = static_cast<std::int32_t>(i); });
}

template <std::size_t Dim>
std::span<const std::int32_t> Cells<Dim>::near(const double* x) const {
  std::size_t cell = 0;
  for (std::size_t axis = 0; axis < Dim; ++axis) cell = cell * (cuts_[axis].size() + 1) + slab(axis, x[axis]);
  return std::span(members_).subspan(starts_[cell], starts_[cell + 1] - starts_[cell]);
}

template <std::size_t Dim>
std::size_t Cells<Dim>::bytes() const {
  std::size_t total = boxes_.capacity() * sizeof(Box<Dim>) + starts_.capacity() * sizeof(std::size_t) +
                      members_.capacity() * sizeof(std::int32_t);
  for (const auto& cuts : cuts_) total += cuts.capacity() * sizeof(double);
  return total;
}

// Rises with x, so that a point between the ends of a box has its slab between theirs.
template <std::size_t Dim>
std::size_t Cells<Dim>::slab(std::size_t axis, double x) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(cuts_[axis], x) - cuts_[axis].begin());
}

template <std::size_t Dim>
template <class Visit>
void Cells<Dim>::for_each_cell(const Box<Dim>& box, Visit visit) const {
  std::array<std::size_t, Dim> first{};
  std::array<std::size_t, Dim> last{};
  for (std::size_t axis = 0; axis < Dim; ++axis) {
    if (box.low[axis] > box.high[axis]) return;
    first[axis] = slab(axis, box.low[axis]);
    last[axis] = slab(axis, box.high[axis]);
  }
  const auto visit_row = [&](std::size_t row) {  // along the last axis, where cells are neighbours
    const std::size_t length = cuts_[Dim - 1].size() + 1;
    for (std::size_t i = first[Dim - 1]; i <= last[Dim - 1]; ++i) visit(row * length + i);
  };
  for (std::size_t i = first[0]; i <= last[0]; ++i) {
    if constexpr (Dim == 2) {
      visit_row(i);
    } else {
      for (std::size_t j = first[1]; j <= last[1]; ++j) visit_row(i * (cuts_[1].size() + 1) + j);
    }
  }
}

template class Cells<2>;
template class Cells<3>;

}  // namespace profdb::interpolation
