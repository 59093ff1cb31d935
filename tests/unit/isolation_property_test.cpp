// What was measured under another regime, source class, layout or release never answers (contract, "Regime",
// "Open fields", §5; RFC §7.3). Random releases and calls: every row's latency names the row, and a result is
// held against what was generated through its matched rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/release.h"
#include "tests/support/shorthand.h"

namespace profdb {
namespace {

using test::csv_header;
using test::leaf;
using test::measured;
using test::TestRelease;

constexpr std::uint32_t kSeeds = 3;
constexpr const char* kLatencies = "Average Duration(us),Median Duration(us)";  // selected, fallback

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  std::int64_t roll(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }

 private:
  std::mt19937 engine_;
};

// Which regime fields of a subject differ from its base.
class Side {
 public:
  Side(const std::vector<std::string>* fields, std::set<std::string> changed)
      : fields_(fields), changed_(std::move(changed)) {}
  bool operator()(const std::string& field) const {
    if (std::find(fields_->begin(), fields_->end(), field) == fields_->end())
      throw std::logic_error(field + " is no field of the subject");
    return changed_.contains(field);
  }
  template <typename T>
  T pick(const std::string& field, T base, T other) const {
    return (*this)(field) ? other : base;
  }
  const std::set<std::string>& changed() const { return changed_; }

 private:
  const std::vector<std::string>* fields_;
  std::set<std::string> changed_;
};

struct Ask {
  std::string leaf;
  std::optional<std::int64_t> ep_size;
};

// A path with rows and calls along one axis (`t`, even), in a regime that a side varies.
struct Subject {
  std::string kernel;
  std::vector<std::string> ops;
  std::string selector;  // of every operator's mapping entry
  std::vector<std::string> fields;
  std::string header;
  std::function<std::string(const Side&, std::int64_t t, const std::vector<std::string>& latencies)> row;
  std::function<Ask(const Side&, std::int64_t t)> call;
  bool exact_in_regime = true;  // §3, §12: the base exact match compares no formats
};

std::string n(std::int64_t number) {
  return std::to_string(number);
}
std::string tensor(const std::string& dtype, const std::vector<std::int64_t>& shape,
                   const std::string& format = "ND") {
  std::string dims;
  for (const std::int64_t d : shape) dims += (dims.empty() ? "" : ",") + n(d);
  return dtype + "[" + dims + "]:" + format;
}
std::string words(const std::vector<std::string>& parts) {
  std::string joined;
  for (const std::string& part : parts) joined += part + " ";
  return joined;
}
std::string with_role(const std::string& role, const std::string& dtype, const std::vector<std::int64_t>& shape,
                      const std::string& format = "ND") {
  return nlohmann::json{{"role", role}, {"dtype", dtype}, {"shape", shape}, {"format", format}}.dump();
}
std::vector<std::string> and_cells(std::vector<std::string> latencies, const std::vector<std::string>& rest) {
  latencies.insert(latencies.end(), rest.begin(), rest.end());
  return latencies;
}
std::string attrs(const nlohmann::json& values) {
  return "\"attrs\": " + values.dump();
}
std::string format_of(bool tiled) {
  return tiled ? "FRACTAL_NZ" : "ND";
}

Subject moe_fused(Dice& dice) {
  const std::int64_t hidden = 16 * dice.roll(4, 9), inner = 16 * dice.roll(10, 19);
  const std::int64_t experts = dice.roll(2, 4), ep = dice.roll(2, 8);
  struct Sizes {
    std::int64_t hidden, gmm1, gmm2, topk;
  };
  const auto sizes = [=](const Side& s) {
    return Sizes{s.pick("hidden", hidden, hidden + 16), s.pick("gmm1_weight_shape", inner, inner + 16),
                 s.pick("gmm2_weight_shape", inner, inner + 16), s.pick<std::int64_t>("topk", 6, 8)};
  };
  Subject subject;
  subject.kernel = "DispatchFFNCombine";
  subject.ops = {"tensor_cast.dispatch_ffn_combine_quant.default",
                 "tensor_cast.dispatch_ffn_combine_quant_int4.default"};
  subject.selector = "query_mode: moe_fused";
  subject.fields = {"activation_dtype", "activation_format",  "quant_subtype",      "gmm1_weight_shape",
                    "gmm2_weight_shape", "hidden",            "topk",               "ep_size",
                    "gmm1_weight_format", "gmm2_weight_format", "experts"};
  subject.header = csv_header(std::string(kLatencies) + ",EP Size");
  const auto weight = [=](const Side& s, const char* which, std::int64_t r, std::int64_t c) {
    return s(which) ? std::vector<std::int64_t>{r / 16, c / 16, 16, 16} : std::vector<std::int64_t>{r, c};
  };
  subject.row = [=](const Side& s, std::int64_t t, const std::vector<std::string>& latencies) {
    const auto [h, n1, n2, topk] = sizes(s);
    const std::string dtype = s.pick<std::string>("quant_subtype", "INT8", "INT4");
    const auto stacked = [&](const char* which, std::int64_t r, std::int64_t c) {
      auto shape = weight(s, which, r, c);
      shape.insert(shape.begin(), s.pick("experts", experts, experts + 1));
      return tensor(dtype, shape, format_of(s(which)));
    };
    return measured(words({tensor(s.pick<std::string>("activation_dtype", "DT_BF16", "FLOAT"), {t, h},
                                  s.pick<std::string>("activation_format", "ND", "NCHW")),
                           stacked("gmm1_weight_format", h, n1), stacked("gmm2_weight_format", n2, h),
                           tensor("INT32", {t, topk})}),
                    tensor("DT_BF16", {t, h}), and_cells(latencies, {n(s.pick("ep_size", ep, ep + 1))}));
  };
  subject.call = [=](const Side& s, std::int64_t t) {
    const auto [h, n1, n2, topk] = sizes(s);
    const std::string dtype = s.pick<std::string>("quant_subtype", "int8", "int4");
    const std::string list = n(s.pick("experts", experts, experts + 1)) + "*";
    const std::string op = subject_op_of(s);
    return Ask{leaf(op,
                    words({tensor(s.pick<std::string>("activation_dtype", "bfloat16", "float32"), {t, h},
                                  s.pick<std::string>("activation_format", "ND", "NCHW")),
                           tensor("int32", {t, topk}),
                           list + tensor(dtype, weight(s, "gmm1_weight_format", h, n1),
                                         format_of(s("gmm1_weight_format"))),
                           list + tensor(dtype, weight(s, "gmm2_weight_format", n2, h),
                                         format_of(s("gmm2_weight_format")))}),
                    tensor("bfloat16", {t, h})),
               s.pick("ep_size", ep, ep + 1)};
  };
  return subject;
}
