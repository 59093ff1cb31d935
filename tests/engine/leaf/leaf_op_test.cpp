// Leaf operator calls: what is accepted, what is refused and how it is named, and the canonical text (formats
// §4).
#include "profdb/leaf_op.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "profdb/error.h"

namespace profdb {
namespace {

using nlohmann::json;

// The message of the Error(input) that `action` throws; empty where it throws none.
template <typename Action>
std::string input_error(Action action) {
  try {
    action();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input) << e.what();
    return e.what();
  }
  return {};
}
std::string parse_error(const std::string& text) {
  return input_error([&] { parse_leaf_op(text); });
}
std::string canonical(const LeafOp& leaf) {
  return to_json(leaf).dump();
}

std::string joined(std::size_t count, const std::string& item) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + item;
  return text;
}
std::string with_inputs(const std::string& inputs) {
  return R"({"op":"o","inputs":[)" + inputs + "]}";
}
std::string with_outputs(const std::string& outputs) {
  return R"({"op":"o","outputs":[)" + outputs + "]}";
}
std::string with_shape(const std::string& shape) {
  return with_inputs(R"({"shape":)" + shape + R"(,"dtype":"int8"})");
}
std::string with_attrs(const std::string& attrs) {
  return R"({"op":"o","attrs":)" + attrs + "}";
}

struct Case {
  const char* name;
  std::string text;
  const char* message = "";  // how the error begins; empty: the leaf is accepted
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name << ' ' << c.text.substr(0, 200);
}

constexpr const char* kTensor = R"({"shape":[2,3],"dtype":"int8"})";

const std::vector<Case>& good_leaves() {
  static const std::vector<Case> cases = {
      {"OpAlone", R"({"op":"aten.mm.default"})"},
      {"EmptyFields", R"({"op":"o","inputs":[],"outputs":[],"attrs":{}})"},
      {"TensorWithEveryKey",
       with_inputs(R"({"role":"x","shape":[2,4,72,7168],"dtype":"bfloat16","format":"FRACTAL_NZ"})")},
      {"RoleOfTheCallersOwn", with_inputs(R"({"role":"my_mask","shape":[1],"dtype":"bool"})")},
      {"AbsentArgument", with_inputs(fmt::format("{},null,{}", kTensor, kTensor))},
      {"ListArgument",
       with_inputs(fmt::format(R"({{"role":"gmm1_weight","list":[{},{}]}})", kTensor, kTensor))},
      {"ListWithoutRole", with_inputs(fmt::format(R"({{"list":[{}]}})", kTensor))},
      {"EmptyList", with_inputs(R"({"list":[]})")},
      {"RepeatedArgument", with_inputs(fmt::format(R"({{"role":"w","repeat":16,"of":{}}})", kTensor))},
      {"RepeatOfOne", with_inputs(fmt::format(R"({{"repeat":1,"of":{}}})", kTensor))},
      {"RepeatAtTheLimit", with_inputs(fmt::format(R"({{"repeat":4096,"of":{}}})", kTensor))},
      {"ListAtTheLimit", with_inputs(R"({"list":[)" + joined(4096, kTensor) + "]}")},
      {"InputsAtTheLimit", with_inputs(joined(64, kTensor))},
      {"OutputsAtTheLimit", with_outputs(joined(64, kTensor))},
      {"ListMembersAreNoInputs", with_inputs(joined(2, fmt::format(R"({{"repeat":256,"of":{}}})", kTensor)))},
      {"Scalar", with_shape("[]")},
      {"ZeroDimension", with_shape("[0,5]")},
      {"DimensionAtTheLimit", with_shape("[9007199254740992]")},
      {"ProductAtTheLimit", with_shape("[4503599627370496,2,1]")},
      {"ProductOfZeroHoweverLargeTheRest", with_shape("[9007199254740992,9007199254740992,0]")},
      {"RankAtTheLimit", with_shape("[" + joined(64, "1") + "]")},
      {"Output", with_outputs(R"({"shape":[1],"dtype":"float32","format":"ND"})")},
      {"AttrsOfAnyKind", with_attrs(R"({"a":null,"b":true,"c":[1,2.5,"x"],"d":{"e":-1}})")},
      {"AttrsNestedToTheLimit", with_attrs(R"({"a":)" + std::string(62, '[') + std::string(62, ']') + "}")},
      {"PriorWhole", R"({"op":"o","prior":{"latency_us":12}})"},
      {"PriorZero", R"({"op":"o","prior":{"latency_us":0.0}})"},
      {"SpacesAndLines", "{\r\n \"op\" : \"o\" }\n"},
      {"NonAsciiNames", R"({"op":"o.Ä","attrs":{"Ö":"é"}})"},
  };
  return cases;
}

const std::vector<Case>& bad_values() {
  static const std::vector<Case> cases = {
      {"EmptyText", "", "leaf: not JSON: parse error at line 1, column 1: "},
      {"NoJson", R"({"op" "o"})", "leaf: not JSON: parse error at line 1, column 9: "},
      {"TrailingText", R"({"op":"o"} x)", "leaf: not JSON: parse error at line 1, column 12: "},
      {"SecondLine", "{\n\"op\":}", "leaf: not JSON: parse error at line 2, column 6: "},
      {"NoUtf8", "{\"op\":\"\xff\"}", "leaf: not JSON: parse error at line 1, column 8: "},
      {"NotANumber", R"({"op":"o","prior":{"latency_us":NaN}})", "leaf: not JSON: "},
      {"NumberBeyondDoubles", R"({"op":"o","prior":{"latency_us":1e999}})",
       "leaf: not JSON: number overflow"},
      {"NoObject", "[]", "leaf: expected an object, found array"},
      {"Null", "null", "leaf: expected an object, found null"},
      {"OpMissing", "{}", "op: missing"},
      {"OpEmpty", R"({"op":""})", "op: is empty"},
      {"OpNoString", R"({"op":7})", "op: expected a string, found number"},
      {"UnknownKey", R"({"op":"o","inptus":[]})",
       "inptus: unknown key; a leaf has op, inputs, outputs, attrs, prior"},
      {"InputsNoList", R"({"op":"o","inputs":{}})", "inputs: expected a list of arguments, found object"},
      {"InputsNull", R"({"op":"o","inputs":null})", "inputs: expected a list of arguments, found null"},
      {"InputNoObject", with_inputs("3"),
       "inputs[0]: expected a tensor, a list argument or null, found number"},
      {"OutputsNoList", R"({"op":"o","outputs":7})", "outputs: expected a list of tensors, found number"},
      {"OutputNull", with_outputs("null"), "outputs[0]: expected a tensor, found null"},
      {"AttrsNoObject", with_attrs("[]"), "attrs: expected an object, found array"},
      {"PriorNoObject", R"({"op":"o","prior":5})", "prior: expected an object, found number"},
      {"PriorNull", R"({"op":"o","prior":null})", "prior: expected an object, found null"},
      {"PriorEmpty", R"({"op":"o","prior":{}})", "prior.latency_us: missing"},
      {"PriorNoNumber", R"({"op":"o","prior":{"latency_us":"1"}})",
       "prior.latency_us: expected a number, found string"},
      {"PriorNegative", R"({"op":"o","prior":{"latency_us":-0.5}})", "prior.latency_us: -0.5 is no latency"},
      {"PriorUnknownKey", R"({"op":"o","prior":{"latency_us":1,"x":2}})",
       "prior.x: unknown key; a prior has latency_us"},
      {"KeyTwice", R"({"op":"o","op":"o"})", "op: the key stands twice"},
      {"KeyTwiceDeepInside", with_inputs(R"(null,{"list":[{"shape":[1],"shape":[1],"dtype":"int8"}]})"),
       "inputs[1].list[0].shape: the key stands twice"},
      {"AttributeTwice", with_attrs(R"({"a":[{"b":1},{"b":1,"b":2}]})"),
       "attrs.a[1].b: the key stands twice"},
  };
  return cases;
}

const std::vector<Case>& bad_arguments() {
  static const std::vector<Case> cases = {
      {"ShapeMissing", with_inputs(R"({"dtype":"int8"})"), "inputs[0].shape: missing"},
      {"ShapeNoList", with_shape("5"), "inputs[0].shape: expected a list of integers, found number"},
      {"DtypeMissing", with_inputs(R"({"shape":[1]})"), "inputs[0].dtype: missing"},
      {"DtypeEmpty", with_inputs(R"({"shape":[1],"dtype":""})"), "inputs[0].dtype: is empty"},
      {"DtypeNull", with_inputs(R"({"shape":[1],"dtype":null})"),
       "inputs[0].dtype: expected a string, found null"},
      {"DtypeEndless", with_inputs(R"({"shape":[1],"dtype":")" + std::string(257, 'x') + "\"}"),
       "inputs[0].dtype: is 257 bytes long; at most 256"},
      {"FormatEmpty", with_inputs(R"({"shape":[1],"dtype":"int8","format":""})"),
       "inputs[0].format: is empty"},
      {"FormatNoString", with_inputs(R"({"shape":[1],"dtype":"int8","format":1})"),
       "inputs[0].format: expected a string, found number"},
      {"RoleEmpty", with_inputs(R"({"role":"","shape":[1],"dtype":"int8"})"), "inputs[0].role: is empty"},
      {"RoleNoString", with_inputs(R"({"role":1,"shape":[1],"dtype":"int8"})"),
       "inputs[0].role: expected a string, found number"},
      {"TensorUnknownKey", with_inputs(R"(null,{"shape":[1],"dtype":"int8","layout":"ND"})"),
       "inputs[1].layout: unknown key; a tensor has role, shape, dtype, format"},
      {"OutputRole", with_outputs(R"({"role":"x","shape":[1],"dtype":"int8"})"),
       "outputs[0].role: unknown key; an output has shape, dtype, format"},
      {"DimensionNegative", with_inputs(R"(null,null,{"list":[{"shape":[4,-3],"dtype":"int8"}]})"),
       "inputs[2].list[0].shape[1]: -3 is negative; dimensions are whole numbers from 0 to 2^53"},
      {"DimensionNegativeBesideZero", with_shape("[0,-1]"), "inputs[0].shape[1]: -1 is negative"},
      {"DimensionFloat", with_shape("[4.0]"), "inputs[0].shape[0]: 4.0 is not written as an integer; "},
      {"DimensionString", with_shape(R"(["4"])"), "inputs[0].shape[0]: expected an integer, found string"},
      {"DimensionBoolean", with_shape("[true]"), "inputs[0].shape[0]: expected an integer, found boolean"},
      {"DimensionOverTheLimit", with_shape("[1,9007199254740993]"),
       "inputs[0].shape[1]: 9007199254740993 is over 2^53"},
      {"DimensionOverInt64", with_shape("[18446744073709551615]"),
       "inputs[0].shape[0]: 18446744073709551615 is over 2^53"},
      {"DimensionOverUint64", with_shape("[99999999999999999999]"), "inputs[0].shape[0]: 1e+20 is over 2^53"},
      {"ProductOverTheLimit", with_shape("[4503599627370496,3]"),
       "inputs[0].shape: the product of the dimensions is over 2^53"},
      {"ProductOverInt64", with_shape("[9007199254740992,9007199254740992]"),
       "inputs[0].shape: the product of the dimensions is over 2^53"},
      {"OutputProduct", with_outputs(R"({"shape":[9007199254740992,2],"dtype":"int8"})"),
       "outputs[0].shape: the product of the dimensions is over 2^53"},
      {"RankOverTheLimit", with_shape("[" + joined(65, "1") + "]"),
       "inputs[0].shape: has 65 dimensions; at most 64"},
      {"InputsOverTheLimit", with_inputs(joined(65, "null")), "inputs: more than 64 entries"},
      {"OutputsOverTheLimit", with_outputs(joined(65, kTensor)), "outputs: more than 64 entries"},
      {"NestingOverTheLimit", with_attrs(R"({"a":)" + std::string(63, '[') + std::string(63, ']') + "}"),
       "attrs.a[0][0]"},
      {"NestingWithoutEnd", with_attrs(std::string(1'000'000, '[')), "attrs[0][0]"},
  };
  return cases;
}

const std::vector<Case>& bad_lists() {
  static const std::vector<Case> cases = {
      {"ListNoList", with_inputs(R"({"list":{}})"),
       "inputs[0].list: expected a list of tensors, found object"},
      {"ListAndShape", with_inputs(R"({"list":[],"shape":[1]})"),
       "inputs[0].shape: unknown key; a list argument has role, list"},
      {"ListAndRepeat", with_inputs(fmt::format(R"({{"list":[],"repeat":2,"of":{}}})", kTensor)),
       "inputs[0].of: unknown key; a list argument has role, list"},
      {"ListMemberNull", with_inputs(R"({"list":[null]})"),
       "inputs[0].list[0]: expected a tensor, found null"},
      {"ListMemberRole", with_inputs(R"({"list":[{"role":"x","shape":[1],"dtype":"int8"}]})"),
       "inputs[0].list[0].role: role belongs to the list"},
      {"ListInList", with_inputs(R"({"list":[{"list":[]}]})"),
       "inputs[0].list[0].list: a list inside a list"},
      {"RepeatInList", with_inputs(fmt::format(R"({{"list":[{{"repeat":2,"of":{}}}]}})", kTensor)),
       "inputs[0].list[0].repeat: a list inside a list"},
      {"ListMemberUnknownKey", with_inputs(R"({"list":[{"shape":[1],"dtype":"int8","x":1}]})"),
       "inputs[0].list[0].x: unknown key; a list member has shape, dtype, format"},
      {"ListOverTheLimit", with_inputs(R"(null,{"list":[)" + joined(4097, kTensor) + "]}"),
       "inputs[1].list: more than 4096 entries"},
      {"RepeatOverTheLimit", with_inputs(fmt::format(R"({{"repeat":4097,"of":{}}})", kTensor)),
       "inputs[0].repeat: 4097 is not from 1 to 4096"},
      {"RepeatOverInt64", with_inputs(fmt::format(R"({{"repeat":18446744073709551615,"of":{}}})", kTensor)),
       "inputs[0].repeat: 18446744073709551615 is not from 1 to 4096"},
      {"RepeatZero", with_inputs(fmt::format(R"({{"repeat":0,"of":{}}})", kTensor)),
       "inputs[0].repeat: 0 is not from 1 to 4096"},
      {"RepeatNegative", with_inputs(fmt::format(R"({{"repeat":-1,"of":{}}})", kTensor)),
       "inputs[0].repeat: -1 is not from 1 to 4096"},
      {"RepeatFloat", with_inputs(fmt::format(R"({{"repeat":2.0,"of":{}}})", kTensor)),
       "inputs[0].repeat: expected an integer, found number"},
      {"RepeatAlone", with_inputs(R"({"repeat":2})"), "inputs[0].of: missing"},
      {"OfAlone", with_inputs(fmt::format(R"({{"of":{}}})", kTensor)), "inputs[0].repeat: missing"},
      {"OfRole", with_inputs(R"({"repeat":2,"of":{"role":"x","shape":[1],"dtype":"int8"}})"),
       "inputs[0].of.role: role belongs to the list"},
      {"OfNoTensor", with_inputs(R"({"repeat":2,"of":[]})"), "inputs[0].of: expected a tensor, found array"},
      {"OfShape", with_inputs(R"({"repeat":2,"of":{"shape":[-1],"dtype":"int8"}})"),
       "inputs[0].of.shape[0]: -1 is negative"},
  };
  return cases;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

class GoodLeaf : public testing::TestWithParam<Case> {};
TEST_P(GoodLeaf, IsAcceptedAndKeepsItsMeaning) {
  const LeafOp leaf = parse_leaf_op(GetParam().text);
  EXPECT_EQ(input_error([&] { validate(leaf); }), "");
  EXPECT_EQ(canonical(parse_leaf_op(canonical(leaf))), canonical(leaf));
}
INSTANTIATE_TEST_SUITE_P(Table, GoodLeaf, testing::ValuesIn(good_leaves()), name_of);

class BadLeaf : public testing::TestWithParam<Case> {};
TEST_P(BadLeaf, IsRefusedByName) {
  const std::string message = parse_error(GetParam().text);
  EXPECT_EQ(message.substr(0, std::string(GetParam().message).size()), GetParam().message) << message;
  EXPECT_LT(message.size(), 600U);
  EXPECT_NO_THROW((void)json(message).dump()) << "the message must be fit for a JSON stream";
}
INSTANTIATE_TEST_SUITE_P(Values, BadLeaf, testing::ValuesIn(bad_values()), name_of);
INSTANTIATE_TEST_SUITE_P(Arguments, BadLeaf, testing::ValuesIn(bad_arguments()), name_of);
INSTANTIATE_TEST_SUITE_P(Lists, BadLeaf, testing::ValuesIn(bad_lists()), name_of);

TEST(LeafOp, ReadsEveryField) {
  const LeafOp leaf = parse_leaf_op(R"({"op": "tensor_cast.x.default",
    "inputs": [{"role": "x", "shape": [2, 4, 72, 7168], "dtype": "bfloat16"}, null,
               {"role": "gmm1_weight", "repeat": 3, "of": {"shape": [7, 4], "dtype": "int8", "format": "FRACTAL_NZ"}}],
    "outputs": [{"shape": [2, 7168], "dtype": "float32"}],
    "attrs": {"phase": "decode"}, "prior": {"latency_us": 12.5}})");
  EXPECT_EQ(leaf.op, "tensor_cast.x.default");
  ASSERT_EQ(leaf.inputs.size(), 3U);
  EXPECT_EQ(leaf.inputs[0].kind, Argument::Kind::tensor);
  EXPECT_EQ(leaf.inputs[0].role, "x");
  EXPECT_EQ(leaf.inputs[0].tensors.at(0).shape, (std::vector<std::int64_t>{2, 4, 72, 7168}));
  EXPECT_EQ(leaf.inputs[0].tensors.at(0).dtype, "bfloat16");
  EXPECT_EQ(leaf.inputs[0].tensors.at(0).format, std::nullopt);
  EXPECT_EQ(leaf.inputs[1].kind, Argument::Kind::absent);
  EXPECT_TRUE(leaf.inputs[1].tensors.empty());
  EXPECT_EQ(leaf.inputs[2].kind, Argument::Kind::list);
  ASSERT_EQ(leaf.inputs[2].tensors.size(), 3U);
  EXPECT_EQ(leaf.inputs[2].tensors[2].format, "FRACTAL_NZ");
  EXPECT_EQ(leaf.outputs.at(0).shape, (std::vector<std::int64_t>{2, 7168}));
  EXPECT_EQ(leaf.attrs.at("phase"), "decode");
  EXPECT_EQ(leaf.prior_latency_us, 12.5);
}

TEST(LeafOp, ReadsAJsonValueBuiltInCode) {
  // Integers put into a json by code are signed, those that the parser reads are unsigned.
  const json tensor = {{"shape", {4, 5}}, {"dtype", "int8"}};
  const LeafOp leaf = leaf_op_from_json({{"op", "o"}, {"inputs", {{{"repeat", 2}, {"of", tensor}}, tensor}}});
  EXPECT_EQ(leaf.inputs.at(0).tensors.size(), 2U);
  EXPECT_EQ(leaf.inputs.at(1).tensors.at(0).shape, (std::vector<std::int64_t>{4, 5}));
}

TEST(LeafOp, StopsReadingAtTheFirstInputTooMany) {
  // The text breaks off: only a parser that stops at entry 65 can say anything but "not JSON".
  const std::string text = R"({"op":"o","inputs":[)" + joined(1'000'000, kTensor);
  EXPECT_EQ(parse_error(text), "inputs: more than 64 entries");
}

TEST(LeafOp, ChecksCountsOfAJsonValueToo) {
  EXPECT_EQ(input_error([] {
              leaf_op_from_json({{"op", "o"}, {"inputs", json(std::vector<json>(65))}});
            }),
            "inputs: more than 64 entries");
}

TEST(LeafOp, SaysWhatIsWrongWithDeepNesting) {
  const std::string message = parse_error(with_attrs(std::string(1'000'000, '[')));
  EXPECT_NE(message.find("]: nested deeper than 64 levels"), std::string::npos) << message;
}

TEST(LeafOp, StopsReadingWhereNestingGoesTooDeep) {
  // The text breaks off. With the leaf and attrs, 63 more arrays make 65 levels.
  const std::string begin = R"({"op":"o","attrs":{"a":)";
  EXPECT_NE(parse_error(begin + std::string(63, '[')).find("]: nested deeper than 64 levels"),
            std::string::npos);
  EXPECT_NE(parse_error(begin + std::string(62, '[')).find("not JSON"), std::string::npos);
}

TEST(LeafOp, ReadsLongListsOfObjectsInAttrs) {
  // Ends within the test's time limit only where reading takes linear time.
  const LeafOp leaf = parse_leaf_op(with_attrs(R"({"a":[)" + joined(300'000, "{}") + "]}"));
  EXPECT_EQ(leaf.attrs.at("a").size(), 300'000U);
}

TEST(LeafOp, ShortensLongNamesInMessages) {
  const std::string message = parse_error(R"({"op":"o",")" + std::string(100'000, 'k') + R"(":1})");
  EXPECT_EQ(message, std::string(60, 'k') + "...: unknown key; a leaf has op, inputs, outputs, attrs, prior");
}

TEST(CanonicalLeafOp, HasAFixedOrderOfKeysWhateverTheirOrderInTheText) {
  const LeafOp leaf = parse_leaf_op(R"({"prior":{"latency_us":12},"attrs":{"z":1,"a":[2,"x"]},
    "outputs":[{"dtype":"int8","shape":[1]}],
    "inputs":[{"format":"ND","dtype":"int8","shape":[2,3],"role":"x"},null,
              {"of":{"dtype":"int8","shape":[]},"repeat":2,"role":"w"}],"op":"o"})");
  EXPECT_EQ(
      canonical(leaf),
      R"({"op":"o","inputs":[{"role":"x","shape":[2,3],"dtype":"int8","format":"ND"},null,)"
      R"({"role":"w","repeat":2,"of":{"shape":[],"dtype":"int8"}}],)"
      R"("outputs":[{"shape":[1],"dtype":"int8"}],"attrs":{"a":[2,"x"],"z":1},"prior":{"latency_us":12.0}})");
}

TEST(CanonicalLeafOp, LeavesDefaultsOut) {
  EXPECT_EQ(canonical(parse_leaf_op(R"({"op":"o","inputs":[],"outputs":[],"attrs":{}})")), R"({"op":"o"})");
}

TEST(CanonicalLeafOp, WritesEqualListMembersAsRepeatHoweverTheyCame) {
  const std::string members = with_inputs(fmt::format(R"({{"list":[{},{}]}})", kTensor, kTensor));
  const std::string repeated = with_inputs(fmt::format(R"({{"repeat":2,"of":{}}})", kTensor));
  EXPECT_EQ(canonical(parse_leaf_op(members)), repeated);
  EXPECT_EQ(canonical(parse_leaf_op(repeated)), repeated);
}

TEST(CanonicalLeafOp, KeepsListsWhoseMembersDiffer) {
  for (const char* other : {R"({"shape":[2,4],"dtype":"int8"})", R"({"shape":[2,3],"dtype":"bool"})",
                            R"({"shape":[2,3],"dtype":"int8","format":"ND"})"}) {
    const std::string text = with_inputs(fmt::format(R"({{"list":[{},{}]}})", kTensor, other));
    EXPECT_EQ(canonical(parse_leaf_op(text)), text);
  }
}

TEST(CanonicalLeafOp, WritesAListOfOneAsAList) {
  const std::string text = with_inputs(fmt::format(R"({{"list":[{}]}})", kTensor));
  EXPECT_EQ(canonical(parse_leaf_op(with_inputs(fmt::format(R"({{"repeat":1,"of":{}}})", kTensor)))), text);
}

TEST(CanonicalLeafOp, WritesANegativeZeroPriorAsZero) {
  EXPECT_EQ(canonical(parse_leaf_op(R"({"op":"o","prior":{"latency_us":-0.0}})")),
            R"({"op":"o","prior":{"latency_us":0.0}})");
}

std::vector<std::string> sorted_keys(const json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, ignored] : object.items()) keys.push_back(key);
  return keys;
}

// The published schema and the parser must change together.
TEST(LeafOpSchema, NamesTheParsersKeysAndLimits) {
  std::ifstream file(PROFDB_SOURCE_DIR "/schema/leaf_op.schema.json");
  const json schema = json::parse(file);
  using Keys = std::vector<std::string>;
  EXPECT_EQ(sorted_keys(schema["properties"]), (Keys{"attrs", "inputs", "op", "outputs", "prior"}));
  EXPECT_EQ(sorted_keys(schema["$defs"]["tensor_argument"]["properties"]),
            (Keys{"dtype", "format", "role", "shape"}));
  EXPECT_EQ(sorted_keys(schema["$defs"]["tensor"]["properties"]), (Keys{"dtype", "format", "shape"}));
  EXPECT_EQ(sorted_keys(schema["$defs"]["list_argument"]["properties"]), (Keys{"list", "role"}));
  EXPECT_EQ(sorted_keys(schema["$defs"]["repeated_argument"]["properties"]), (Keys{"of", "repeat", "role"}));
  EXPECT_EQ(schema["properties"]["inputs"]["maxItems"], 64);
  EXPECT_EQ(schema["properties"]["outputs"]["maxItems"], 64);
  EXPECT_EQ(schema["$defs"]["list_argument"]["properties"]["list"]["maxItems"], 4096);
  EXPECT_EQ(schema["$defs"]["repeated_argument"]["properties"]["repeat"]["maximum"], 4096);
  EXPECT_EQ(schema["$defs"]["shape"]["items"]["maximum"], 9007199254740992);
}

}  // namespace
}  // namespace profdb
