// Contract §11: MLA cache update by tokens. Calls pass (update, cache, index), rows hold (cache, index,
// update).
#include "engine/paths/registry.h"
#include "engine/paths/roles.h"

namespace profdb {
namespace {

constexpr std::string_view kUnextractable = "scatter_target_unextractable";

class ScatterNdUpdateMla final : public Path {
 public:
  const PathSpec& spec() const override {
    static const PathSpec spec{
        .name = "scatter_nd_update_mla",
        .fields = {{"cache_dtype"},
                   {"index_dtype"},
                   {"update_dtype"},
                   {"cache_shape"},
                   {"update_tail"},
                   {"cache_format"},
                   {"index_format"},
                   {"update_format"}},
        .axes = {"tokens"},
        .groups = {{0}},
        .selector = Selector::query_mode,
        .ambiguity_closes_coordinate = true,
    };
    return spec;
  }

  std::variant<Candidate, Unfit> project(const Row& row, const ProjectionKey&) const override {
    const auto cache = row_slot(row.inputs, 0);
    const auto index = row_slot(row.inputs, 1);
    const auto update = row_slot(row.inputs, 2);
    if (!cache || !index || !update)
      return Unfit{kUnextractable, "a slot of (cache, index, update) is empty"};
    return point<Candidate>(*cache, *index, *update);
  }

  std::variant<Target, Unfit> target(const Call& call) const override {
    const Tensor* update = tensor_of(call.leaf, "update", 0);
    const Tensor* cache = tensor_of(call.leaf, "cache", 1);
    const Tensor* index = tensor_of(call.leaf, "index", 2);
    if (update == nullptr || cache == nullptr || index == nullptr)
      return Unfit{kUnextractable, "update, cache or index is missing"};
    return point<Target>(call_slot(*cache), call_slot(*index), call_slot(*update));
  }

 private:
  template <typename Point>
  static std::variant<Point, Unfit> point(const TensorSlot& cache, const TensorSlot& index,
                                          const TensorSlot& update) {
    const Shape& shape = update.shape;
    if (shape.empty()) return Unfit{kUnextractable, "the update is a scalar"};
    Point point;
    point.regime = {cache.dtype,
                    index.dtype,
                    update.dtype,
                    to_string(cache.shape),
                    shape.size() == 1 ? std::string() : to_string(Shape{shape.back()}),
                    cache.format,
                    index.format,
                    update.format};
    point.coordinate = {shape.size() <= 2 ? shape.front()
                                          : element_count(Shape(shape.begin(), shape.end() - 1))};
    return point;
  }
};

}  // namespace

const Path& scatter_nd_update_mla_path() {
  static const ScatterNdUpdateMla path;
  return path;
}

}  // namespace profdb
