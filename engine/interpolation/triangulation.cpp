// Checks a cloud of points, triangulates it, and answers where a target lies in it.
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "engine/interpolation/linear.h"
#include "engine/interpolation/mesh.h"
#include "engine/interpolation/qhull.h"
#include "profdb/error.h"

namespace profdb::interpolation {
namespace {

using Cloud = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

void check_arguments(std::span<const double> coordinates, int dim) {
  if (dim != 2 && dim != 3)
    throw Error(ErrorKind::usage, "a triangulation has dimension 2 or 3, not " + std::to_string(dim));
  if (coordinates.size() % static_cast<std::size_t>(dim) != 0)
    throw Error(ErrorKind::usage, std::to_string(coordinates.size()) +
                                      " coordinates are no whole number of " + std::to_string(dim) +
                                      "-dimensional points");
  if (coordinates.size() > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::usage, "too many points to triangulate: " + std::to_string(coordinates.size()));
  if (!std::ranges::all_of(coordinates, [](double x) { return std::isfinite(x); }))
    throw Error(ErrorKind::usage, "points to triangulate need finite coordinates");
}

// Whether all points lie on one line (or, in 3D, one plane). Relative to the first point, not to the mean: so
// differences of whole numbers stay exact. The threshold is that of NumPy's matrix_rank.
bool rank_deficient(const Cloud& cloud) {
  Eigen::MatrixXd edges = cloud.rowwise() - cloud.row(0);
  for (auto axis : edges.colwise()) axis /= axis.cwiseAbs().maxCoeff();
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(edges);
  svd.setThreshold(static_cast<double>(edges.rows()) * std::numeric_limits<double>::epsilon());
  return svd.rank() < edges.cols();
}

std::optional<Problem> problem_of(std::span<const double> coordinates, int dim) {
  const Cloud cloud(coordinates.data(), static_cast<Eigen::Index>(coordinates.size()) / dim, dim);
  if (cloud.rows() < dim + 1) return Problem::insufficient_points;
  for (const auto& axis : cloud.colwise())
    if (axis.minCoeff() == axis.maxCoeff()) return Problem::degenerate_axes;
  if (rank_deficient(cloud)) return Problem::degenerate_point_cloud;
  return std::nullopt;
}

}  // namespace

struct Triangulation::Data {
  std::variant<Mesh<2>, Mesh<3>> mesh;
  int dim;
};

std::variant<std::shared_ptr<const Triangulation>, Triangulation::Failure> Triangulation::build(
    std::span<const double> coordinates, int dim) {
  check_arguments(coordinates, dim);
  if (const auto problem = problem_of(coordinates, dim)) return Failure{*problem, ""};

  auto qhull = lower_hull(coordinates, dim);
  if (auto* message = std::get_if<std::string>(&qhull))
    return Failure{Problem::triangulation_failed, std::move(*message)};

  const auto& hull = std::get<LowerHull>(qhull);
  auto data = dim == 2 ? std::make_unique<Data>(Data{Mesh<2>(hull, coordinates), dim})
                       : std::make_unique<Data>(Data{Mesh<3>(hull, coordinates), dim});
  return std::shared_ptr<const Triangulation>(new Triangulation(std::move(data)));
}

std::optional<Combination> Triangulation::locate(std::span<const double> x, int* hint) const {
  if (x.size() != static_cast<std::size_t>(data_->dim))
    throw Error(ErrorKind::usage, "a target of " + std::to_string(x.size()) + " coordinates in a " +
                                      std::to_string(data_->dim) + "-dimensional triangulation");
  int from_first = 0;
  int& cursor = hint != nullptr ? *hint : from_first;
  return std::visit([&](const auto& mesh) { return mesh.locate(x.data(), cursor); }, data_->mesh);
}

int Triangulation::dim() const {
  return data_->dim;
}

std::size_t Triangulation::simplex_count() const {
  return std::visit([](const auto& mesh) { return mesh.size(); }, data_->mesh);
}

std::size_t Triangulation::bytes() const {
  return sizeof(Triangulation) + sizeof(Data) +
         std::visit([](const auto& mesh) { return mesh.bytes(); }, data_->mesh);
}

Triangulation::Triangulation(std::unique_ptr<Data> data) : data_(std::move(data)) {}
Triangulation::~Triangulation() = default;

}  // namespace profdb::interpolation
