// Draws products from the measurements.
#include "bench/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <stdexcept>

#include "bench/draw.h"

namespace profdb::bench {
namespace {

constexpr std::size_t kSparse = 4;  // rows per product wanted, from which on drawing beats reading them all

// Text such as [[128,4096],[7168,4096]]: weights are stored as (N,K).
MatMul product_of(const std::string& shapes) {
  const auto lists = nlohmann::json::parse(shapes);
  return {lists.at(0).at(0), lists.at(0).at(1), lists.at(1).at(0)};
}

constexpr const char* kShapes =
    "SELECT input_shapes\n"
    "FROM measurement_row\n"
    "WHERE kernel = 'MatMulV2' AND json_array_length(input_shapes) = 2";

}  // namespace

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

LeafOp leaf_of(const MatMul& product) {
  const auto tensor = [](std::int64_t rows, std::int64_t columns) {
    return Tensor{{rows, columns}, "bfloat16", std::nullopt};
  };
  const auto argument = [](Tensor input) { return Argument{Argument::Kind::tensor, "", {std::move(input)}}; };
  LeafOp leaf;
  leaf.op = "aten.mm.default";
  leaf.inputs = {argument(tensor(product.m, product.k)), argument(tensor(product.k, product.n))};
  leaf.outputs = {tensor(product.m, product.n)};
  return leaf;
}

std::vector<LeafOp> leaves_of(const std::vector<MatMul>& products) {
  std::vector<LeafOp> leaves;
  leaves.reserve(products.size());
  for (const MatMul& product : products) leaves.push_back(leaf_of(product));
  return leaves;
}

std::vector<MatMul> all_measured(const std::string& database) {
  SQLite::Database db = open_to_draw(database);
  SQLite::Statement rows(db, kShapes);
  std::set<MatMul> products;
  while (rows.executeStep()) products.insert(product_of(rows.getColumn(0)));
  return {products.begin(), products.end()};
}

std::vector<MatMul> random_measured(const std::string& database, std::size_t count) {
  SQLite::Database db = open_to_draw(database);
  const std::int64_t last = db.execAndGet("SELECT max(measurement_id) FROM measurement");
  SQLite::Statement row(db, fmt::format("{}\nAND measurement_id = :id", kShapes));
  std::mt19937_64 random(kSeed);
  if (static_cast<std::uint64_t>(last) < kSparse * count) {
    std::vector<MatMul> products = all_measured(database);
    std::shuffle(products.begin(), products.end(), random);
    products.resize(std::min(products.size(), count));
    return products;
  }
  return collect<MatMul>(count, [&]() -> std::optional<MatMul> {
    row.reset();
    row.bind(1, draw(random, 1, last));
    if (!row.executeStep()) return std::nullopt;
    return product_of(row.getColumn(0));
  });
}

std::vector<MatMul> between_m(const std::vector<MatMul>& measured, std::size_t count) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::int64_t>> tokens;
  for (const MatMul& product : measured) tokens[{product.k, product.n}].insert(product.m);
  std::mt19937_64 random(kSeed);
  return collect<MatMul>(count, [&]() -> std::optional<MatMul> {
    const MatMul& near = draw_one(random, measured);
    const auto& known = tokens.at({near.k, near.n});
    const std::int64_t m = draw(random, *known.begin(), *known.rbegin());
    if (known.contains(m)) return std::nullopt;
    return MatMul{m, near.k, near.n};
  });
}

std::vector<MatMul> between_all(const std::vector<MatMul>& measured, std::size_t count) {
  std::set<std::int64_t> ms;
  std::set<std::int64_t> ks;
  std::set<std::int64_t> ns;
  for (const MatMul& product : measured) {
    ms.insert(product.m);
    ks.insert(product.k);
    ns.insert(product.n);
  }
  std::mt19937_64 random(kSeed);
  const auto off = [&](const std::set<std::int64_t>& known) {
    const std::int64_t value = draw(random, *known.begin(), *known.rbegin());
    return known.contains(value) ? 0 : value;
  };
  return collect<MatMul>(count, [&]() -> std::optional<MatMul> {
    const MatMul product{off(ms), off(ks), off(ns)};
    if (product.m == 0 || product.k == 0 || product.n == 0) return std::nullopt;
    return product;
  });
}

}  // namespace profdb::bench
