// Mappings and leaf operators that are wrong: the message names the line or the field, and nothing changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/fault_release.h"
#include "tests/support/release.h"

namespace {

using namespace profdb;
using namespace profdb::test;
using testing::AllOf;
using testing::HasSubstr;

struct Wrong {
  std::string text;
  std::string line;
  std::string says;
};

// Nine levels of nine aliases each: 9^9 values once they are expanded.
std::string alias_bomb() {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int level = 1; level < 9; ++level) {
    const std::string below = "*a" + std::to_string(level - 1);
    text += "a" + std::to_string(level) + ": &a" + std::to_string(level) + " [" + below;
    for (int i = 1; i < 9; ++i) text += ", " + below;
    text += "]\n";
  }
  return text;
}

std::vector<Wrong> wrong_mappings() {
  const std::string head = "operator_mappings:\n";
  return {
      {head + "  aten.mm.default: {kernel_type: A}\n  aten.mm.default: {kernel_type: B}\n", ":3",
       "duplicate key"},
      {head + "  aten.mm.default:\n    kernel_type: [A]\n", ":3", "kernel_type"},
      {head + "  aten.mm.default:\n    kernel_type: A\n    tc_input_count: two\n", ":4", "tc_input_count"},
      {head + "  aten.mm.default:\n    kernel_type: A\n    zero_cost: maybe\n", ":4", "zero_cost"},
      {head + "  aten.mm.default:\n    kernel_type: ../x\n", ":3", "../x"},
      {"interpolation_policy:\n  kernel_overrides:\n    'a b': {max_interpolation_dim: 1}\n", ":3", "a b"},
      {"- a\n- b\n", ":1", "map"},
      {head + "  aten.mm.default: {kernel_type: A\n", "", "yaml"},
      {alias_bomb(), "", "aliases expanded"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "", "git lfs pull"},
  };
}

class BadMapping : public testing::Test {
 protected:
  void SetUp() override {
    write_versioned_release(folder_ / "release", 1, 10);
    import_version(folder_ / "release", database(), false);
  }
  std::string database() const { return folder_ / "prof.db"; }

  template <typename Work>
  static std::string input_error(Work work) {
    try {
      work();
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::input) << e.what();
      return e.what();
    }
    ADD_FAILURE() << "accepted";
    return "";
  }

  TempFolder folder_;
};

TEST_F(BadMapping, ImportNamesFileAndLineAndChangesNothing) {
  const std::string before = read_file(database());
  for (const Wrong& wrong : wrong_mappings()) {
    write_file(folder_ / "release" / "op_mapping.yaml", wrong.text);
    const std::string message = input_error([&] { import_version(folder_ / "release", database(), true); });
    EXPECT_THAT(message, AllOf(HasSubstr("op_mapping.yaml" + wrong.line), HasSubstr(wrong.says)))
        << wrong.text.substr(0, 200);
    input_error([&] { import_version(folder_ / "release", folder_ / "new.db", false); });
    EXPECT_FALSE(std::filesystem::exists(folder_ / "new.db"));
  }
  EXPECT_TRUE(read_file(database()) == before);
}

TEST_F(BadMapping, SettingNamesFileAndLineAndChangesNothing) {
  const std::string before = read_file(database());
  for (const Wrong& wrong : wrong_mappings()) {
    write_file(folder_ / "other.yaml", wrong.text);
    const std::string message =
        input_error([&] { importer::set_mapping(database(), "1", folder_ / "other.yaml"); });
    EXPECT_THAT(message, AllOf(HasSubstr("other.yaml" + wrong.line), HasSubstr(wrong.says)));
  }
  EXPECT_TRUE(read_file(database()) == before);
}

TEST_F(BadMapping, OversizedFileIsRefused) {
  write_file(folder_ / "other.yaml", "notes: " + std::string(std::size_t{16} * 1024 * 1024, 'x') + "\n");
  EXPECT_THAT(input_error([&] { importer::set_mapping(database(), "1", folder_ / "other.yaml"); }),
              AllOf(HasSubstr("other.yaml"), HasSubstr("16 MiB")));
}

TEST_F(BadMapping, MappingOfAnotherReleaseIsNotSet) {
  write_file(folder_ / "other.yaml", "version: '9.9'\n" + versioned_mapping());
  try {
    importer::set_mapping(database(), "1", folder_ / "other.yaml");
    FAIL() << "set";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_THAT(e.what(), AllOf(HasSubstr("version"), HasSubstr("9.9"), HasSubstr("1.0")));
  }
  EXPECT_EQ(answered_version(database()), 1);
}

TEST_F(BadMapping, MalformedLeafIsAnErrorThatNamesTheField) {
  const Engine engine(database());
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {R"({"op": "aten.mm.default", "inputs": [], "inptus": []})", "inptus"},
      {R"({"op": "aten.mm.default", "inputs": [{"shape": [4, -1], "dtype": "int8"}]})", "inputs[0].shape[1]"},
      {R"({"op": "aten.mm.default", "inputs": [{"shape": [9007199254740993], "dtype": "int8"}]})",
       "inputs[0].shape[0]"},
      {R"({"op": "aten.mm.default", "inputs": [{"repeat": 5000, "of": {"shape": [1], "dtype": "int8"}}]})",
       "repeat"},
      {R"({"op": 5})", "op"},
      {R"({"op": "aten.mm.default")", "JSON"},
  };
  for (const auto& [leaf, field] : wrong)
    EXPECT_THAT(input_error([&] { engine.lookup(parse_leaf_op(leaf)); }), HasSubstr(field)) << leaf;
}

TEST_F(BadMapping, LeafWithAMillionInputsIsRefusedAsTextAndAsStruct) {
  const Engine engine(database());
  std::string text = R"({"op": "aten.mm.default", "inputs": [null)";
  for (int i = 1; i < 1'000'000; ++i) text += ",null";
  EXPECT_THAT(input_error([&] { parse_leaf_op(text + "]}"); }), HasSubstr("inputs"));
  LeafOp leaf = parse_leaf_op(matmul_leaf(100));
  leaf.inputs.resize(1'000'000, leaf.inputs.front());
  EXPECT_THAT(input_error([&] { engine.lookup(leaf); }), HasSubstr("inputs"));
}

}  // namespace
