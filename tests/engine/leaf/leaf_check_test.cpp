// Leaves filled in by hand are held to the same limits as those that come as JSON (formats §4).
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "profdb/error.h"
#include "profdb/leaf_op.h"

namespace profdb {
namespace {

using nlohmann::json;

Argument tensor_argument(std::vector<std::int64_t> shape) {
  return {Argument::Kind::tensor, "", {{std::move(shape), "int8", std::nullopt}}};
}
LeafOp leaf_with(Argument argument) {
  LeafOp leaf;
  leaf.op = "o";
  leaf.inputs.push_back(std::move(argument));
  return leaf;
}

// The message of the Error(input) that the leaf gives; empty where it is accepted.
std::string validation_error(const LeafOp& leaf) {
  try {
    validate(leaf);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input) << e.what();
    return e.what();
  }
  return {};
}

TEST(ValidateLeafOp, AcceptsALeafFilledInByHand) {
  LeafOp leaf = leaf_with(tensor_argument({2, 3}));
  leaf.inputs.push_back({Argument::Kind::absent, "", {}});
  leaf.inputs.push_back({Argument::Kind::list, "w", {}});
  EXPECT_EQ(validation_error(leaf), "");
}

TEST(ValidateLeafOp, RefusesAnEmptyOp) {
  EXPECT_EQ(validation_error(LeafOp{}), "op: is empty");
}

TEST(ValidateLeafOp, RefusesTextThatIsNoUtf8) {
  LeafOp leaf = leaf_with(tensor_argument({1}));
  leaf.inputs[0].tensors[0].dtype = "\xc3";
  EXPECT_EQ(validation_error(leaf), "inputs[0].dtype: is no valid UTF-8");
  leaf = leaf_with(tensor_argument({1}));
  leaf.attrs["a"] = {"\xff"};
  EXPECT_EQ(validation_error(leaf), "attrs.a[0]: is no valid UTF-8");
  leaf.attrs = {{"\xff", 1}};
  EXPECT_EQ(validation_error(leaf), "attrs.?: the name is no valid UTF-8");
}

TEST(ValidateLeafOp, RefusesNegativeDimensions) {
  EXPECT_EQ(validation_error(leaf_with(tensor_argument({2, -3}))),
            "inputs[0].shape[1]: -3 is negative; dimensions are whole numbers from 0 to 2^53");
}

TEST(ValidateLeafOp, RefusesDimensionsAndProductsOverTheLimit) {
  constexpr std::int64_t kLimit = 9007199254740992;  // 2^53
  EXPECT_EQ(validation_error(leaf_with(tensor_argument({kLimit, 1}))), "");
  EXPECT_EQ(validation_error(leaf_with(tensor_argument({kLimit + 1}))),
            "inputs[0].shape[0]: 9007199254740993 is over 2^53; dimensions are whole numbers from 0 to 2^53");
  EXPECT_EQ(validation_error(leaf_with(tensor_argument({kLimit, 2}))),
            "inputs[0].shape: the product of the dimensions is over 2^53");
}

TEST(ValidateLeafOp, RefusesAnEmptyFormat) {
  LeafOp leaf = leaf_with(tensor_argument({1}));
  leaf.inputs[0].tensors[0].format = "";
  EXPECT_EQ(validation_error(leaf), "inputs[0].format: is empty");
}

TEST(ValidateLeafOp, RefusesAnArgumentThatContradictsItsKind) {
  EXPECT_EQ(validation_error(leaf_with({Argument::Kind::tensor, "", {}})),
            "inputs[0]: a tensor argument holds one tensor, not 0");
  EXPECT_EQ(validation_error(leaf_with({Argument::Kind::absent, "x", {}})),
            "inputs[0]: an absent argument has neither tensors nor a role");
}

TEST(ValidateLeafOp, RefusesTooManyOfAnything) {
  LeafOp leaf;
  leaf.op = "o";
  leaf.inputs.assign(65, tensor_argument({1}));
  EXPECT_EQ(validation_error(leaf), "inputs: more than 64 entries");
  leaf.inputs.clear();
  leaf.outputs.assign(65, {{1}, "int8", std::nullopt});
  EXPECT_EQ(validation_error(leaf), "outputs: more than 64 entries");
  EXPECT_EQ(validation_error(leaf_with(
                {Argument::Kind::list, "", std::vector<Tensor>(4097, {{1}, "int8", std::nullopt})})),
            "inputs[0].list: more than 4096 entries");
}

TEST(ValidateLeafOp, RefusesAttrsThatAreNoJsonObject) {
  LeafOp leaf = leaf_with(tensor_argument({1}));
  leaf.attrs = nullptr;
  EXPECT_EQ(validation_error(leaf), "attrs: expected an object, found null");
  leaf.attrs = {{"a", std::numeric_limits<double>::infinity()}};
  EXPECT_EQ(validation_error(leaf), "attrs.a: is no finite number");
  leaf.attrs = {{"a", json::binary({1, 2})}};
  EXPECT_EQ(validation_error(leaf), "attrs.a: is no JSON value");
}

TEST(ValidateLeafOp, RefusesAttrsNestedTooDeep) {
  json value = 1;
  for (int i = 0; i < 62; ++i) value = json::array({value});
  LeafOp leaf = leaf_with(tensor_argument({1}));
  leaf.attrs = {{"a", value}};  // with the leaf and attrs, 64 levels
  EXPECT_EQ(validation_error(leaf), "");
  leaf.attrs = {{"a", json::array({value})}};
  EXPECT_NE(validation_error(leaf).find("]: nested deeper than 64 levels"), std::string::npos);
}

TEST(ValidateLeafOp, RefusesAPriorThatIsNoLatency) {
  LeafOp leaf = leaf_with(tensor_argument({1}));
  for (const double prior :
       {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    leaf.prior_latency_us = prior;
    EXPECT_NE(validation_error(leaf).find("prior.latency_us: "), std::string::npos) << prior;
  }
}

}  // namespace
}  // namespace profdb
