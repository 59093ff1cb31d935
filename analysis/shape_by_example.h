// The tensors that a coordinate would have, after the example of a measured row of the same line.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "analysis/standard.h"

namespace profdb::analysis {

// Candidates of one regime that differ on `axis` only.
struct Line {
  std::string path;
  std::int64_t regime_id = 0;
  std::string axis;
  std::string others;  // as in the view candidate_coordinate

  auto operator<=>(const Line&) const = default;  // NOLINT(modernize-use-nullptr): sees one in it
};

// "M=16,K=4096,N=1024" as the view candidate has it, from the axis' value and the view candidate_coordinate's
// `others`.
std::string coordinate_text(const std::string& path, const std::string& axis, std::int64_t value,
                            const std::string& others);

class ShapeByExample {
 public:
  explicit ShapeByExample(store::Connection& connection);
  ~ShapeByExample();
  ShapeByExample(const ShapeByExample&) = delete;
  ShapeByExample& operator=(const ShapeByExample&) = delete;

  // path, regime_id and regime are set; the tensors where a row of the line gives them: each dimension that
  // is the row's value on the axis is replaced by `value`, and the path must then project the row to the
  // wanted coordinate in the same regime.
  MissingShape at(const Line& line, std::int64_t value);

 private:
  struct Examples;
  Examples& examples(const Line& line);

  store::Connection& connection_;
  std::map<Line, std::unique_ptr<Examples>> known_;
};

}  // namespace profdb::analysis
