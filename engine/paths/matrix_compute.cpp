// Contract §3: matrix multiplication along M, K and N.
#include "engine/lookup/matrix_shapes.h"
#include "engine/lookup/search.h"
#include "engine/paths/registry.h"

namespace profdb {
namespace {

class MatrixCompute final : public Path {
 public:
  const PathSpec& spec() const override {
    static const PathSpec spec{
        .name = "matrix_compute",
        .fields = {{"input_count", false},
                   {"input_dtypes"},
                   {"lead_a"},
                   {"lead_b"},
                   {"input_formats", true, Match::format_group}},
        .axes = {"M", "K", "N"},
        .groups = {{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}},
        .tc_input_count = true,
        .assumes_formats = true,
        .base_exact = BaseExact::always,
    };
    return spec;
  }

  std::variant<Candidate, Unfit> project(const Row& row, const ProjectionKey& key) const override {
    return point<Candidate>(row_signature(row, key), key.kernel);
  }

  std::variant<Target, Unfit> target(const Call& call) const override {
    if (call.signature != nullptr) return point<Target>(*call.signature, call.kernel);
    return point<Target>(call_signature(call), call.kernel);
  }

  const SearchSteps& steps() const override {
    static const BaseExactSteps steps;
    return steps;
  }

 private:
  template <typename Point>
  static std::variant<Point, Unfit> point(const Signature& signature, const std::string& kernel) {
    const auto shapes = matrix_shapes(signature, kernel);
    if (!shapes) return Unfit{"target_unextractable", "inputs 0 and 1 are not matrices with a common K"};
    Point point;
    point.regime = {static_cast<std::int64_t>(signature.size()), joined_dtypes(signature),
                    to_string(shapes->lead_a), to_string(shapes->lead_b), joined_formats(signature)};
    point.coordinate = {shapes->m, shapes->k, shapes->n};
    return point;
  }
};

}  // namespace

const Path& matrix_compute_path() {
  static const MatrixCompute path;
  return path;
}

}  // namespace profdb
