// Leaf operators to ask: matrix multiplications, drawn from the measurements of a database.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profdb/engine.h"
#include "profdb/leaf_op.h"

namespace profdb::bench {

struct MatMul {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  auto operator<=>(const MatMul&) const = default;  // NOLINT(modernize-use-nullptr)
};

// aten.mm.default of bfloat16 (m,k) and (k,n).
LeafOp leaf_of(const MatMul& product);
std::vector<LeafOp> leaves_of(const std::vector<MatMul>& products);

// Every distinct product that MatMulV2 was measured for, in no useful order.
std::vector<MatMul> all_measured(const std::string& database);
// `count` distinct products among them, or as many as there are, in random order; always the same.
std::vector<MatMul> random_measured(const std::string& database, std::size_t count);

// Products that were not measured, each between two measured M of one (K,N).
std::vector<MatMul> between_m(const std::vector<MatMul>& measured, std::size_t count);
// Products off every measured M, K and N, inside their ranges; not all of them are inside the convex hull.
std::vector<MatMul> between_all(const std::vector<MatMul>& measured, std::size_t count);

// Throws std::runtime_error naming `what` unless `holds`: a benchmark that measures something else is void.
void require(bool holds, const std::string& what);

// Hands out the items of a list in turn, again and again.
template <typename T>
class Cycle {
 public:
  explicit Cycle(const std::vector<T>& items, std::size_t first = 0)
      : items_(&items), next_(first % items.size()) {}
  const T& next() {
    const T& item = (*items_)[next_];
    if (++next_ == items_->size()) next_ = 0;
    return item;
  }

 private:
  const std::vector<T>* items_;
  std::size_t next_;
};

}  // namespace profdb::bench
