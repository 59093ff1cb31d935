// The structure of op_mapping.yaml: what no field may hide behind (formats §3,
// importer/mapping/mapping_yaml.h).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "importer/mapping/mapping_yaml.h"
#include "profdb/error.h"

namespace profdb::importer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::string_literals;

ParsedMapping parse(std::string_view text) {
  return parse_mapping(text, "m.yaml");
}

// The message of the Error(input) that parsing throws.
std::string error_of(std::string_view text) {
  try {
    parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  ADD_FAILURE() << "no error from: " << text.substr(0, 200);
  return {};
}

TEST(MappingYamlStructureTest, DuplicateKeysAtAnyLevelNameBothLines) {
  const std::vector<std::string> documents = {
      "version: 1\ndevice: A\n\nversion: 2\n",
      "operator_mappings:\n  a: {kernel_type: K}\n  b: {kernel_type: K}\n  'a': {kernel_type: L}\n",
      "unknown:\n  x: 1\n  y: 2\n  x: 3\n",
      "unknown:\n - x: 1\n   y: 2\n   \"x\": 3\n",
  };
  EXPECT_THAT(error_of(documents[0]),
              AllOf(StartsWith("m.yaml:4: "), HasSubstr("'version'"), HasSubstr("line 1")));
  EXPECT_THAT(error_of(documents[1]), AllOf(StartsWith("m.yaml:4: "), HasSubstr("'a'"), HasSubstr("line 2")));
  EXPECT_THAT(error_of(documents[2]), AllOf(StartsWith("m.yaml:4: "), HasSubstr("'x'"), HasSubstr("line 2")));
  EXPECT_THAT(error_of(documents[3]), AllOf(StartsWith("m.yaml:4: "), HasSubstr("'x'"), HasSubstr("line 2")));
}

TEST(MappingYamlStructureTest, EqualKeysOfDifferentMapsAreNoDuplicates) {
  EXPECT_NO_THROW(parse("a: {x: 1}\nb: {x: {x: 1}}\n"));
}

TEST(MappingYamlStructureTest, KeysThatAreNoNamesAreErrors) {
  EXPECT_THAT(error_of("a: 1\n? [x]\n: 2\n"), AllOf(StartsWith("m.yaml:2: "), HasSubstr("a map or a list")));
  EXPECT_THAT(error_of("a: 1\n~: 2\n"), AllOf(StartsWith("m.yaml:2: "), HasSubstr("a key is empty")));
  EXPECT_THAT(error_of("a: &k x\n*k : 2\n"), AllOf(StartsWith("m.yaml:2: "), HasSubstr("alias")));
}

TEST(MappingYamlStructureTest, MergeKeysAreRefused) {
  EXPECT_THAT(error_of("base: &b {a: 1}\nother:\n  <<: *b\n"),
              AllOf(StartsWith("m.yaml:3: "), HasSubstr("<<")));
}

TEST(MappingYamlStructureTest, AliasesThatExplodeAreAnError) {
  // Each level holds ten times the one before: 10^6 nodes on line 6.
  std::string bomb = "l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    bomb += fmt::format("l{}: &l{} [", i, i);
    for (int k = 0; k < 10; ++k) bomb += fmt::format("{}*l{}", k == 0 ? "" : ", ", i - 1);
    bomb += "]\n";
  }
  EXPECT_THAT(error_of(bomb), AllOf(StartsWith("m.yaml:5: "), HasSubstr("100,000")));
}

TEST(MappingYamlStructureTest, AliasInsideWhatItRefersToIsAnError) {
  EXPECT_THAT(error_of("a: 1\nb: &b\n  - *b\n"), AllOf(StartsWith("m.yaml:3: "), HasSubstr("alias")));
  EXPECT_THAT(error_of("a: &a {b: {c: *a}}\n"), HasSubstr("alias"));
}

TEST(MappingYamlStructureTest, AliasToNothingIsAnError) {
  EXPECT_THAT(error_of("a: 1\nb: *nowhere\n"), StartsWith("m.yaml:2: "));
}

TEST(MappingYamlStructureTest, UpTo100000NodesAreRead) {
  // The map, its key and the list are three.
  std::string fits = "a: [";
  for (int i = 0; i < 99'997; ++i) fits += "1,";
  EXPECT_NO_THROW(parse(fits + "]"));
  EXPECT_THAT(error_of(fits + "1]"), HasSubstr("100,000"));
}

TEST(MappingYamlStructureTest, UpTo64LevelsAreRead) {
  // The map is the first.
  const auto nested = [](std::size_t levels) {
    return "a: " + std::string(levels - 1, '[') + std::string(levels - 1, ']');
  };
  EXPECT_NO_THROW(parse(nested(64)));
  EXPECT_THAT(error_of(nested(65)), HasSubstr("64 levels"));
}

TEST(MappingYamlStructureTest, LevelsCountThroughAliases) {
  const std::string forty = "a: &a " + std::string(40, '[') + std::string(40, ']') + "\n";
  EXPECT_NO_THROW(parse(forty + "b: " + std::string(23, '[') + "*a" + std::string(23, ']')));
  EXPECT_THAT(error_of(forty + "b: " + std::string(24, '[') + "*a" + std::string(24, ']')),
              AllOf(StartsWith("m.yaml:2: "), HasSubstr("64 levels")));
}

TEST(MappingYamlStructureTest, NestingWithoutEndIsACleanError) {
  for (const char* piece : {"[", "{", "- ", "? ", "[{", "{a: ", "[a:"}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += piece;
    EXPECT_THAT(error_of(text), StartsWith("m.yaml:1: ")) << piece;
    EXPECT_THAT(error_of("a:\n " + text), StartsWith("m.yaml:")) << piece;
  }
}

TEST(MappingYamlStructureTest, TextThatIsNoYamlNamesTheLine) {
  EXPECT_THAT(error_of("a: 1\nb: [1, 2\nc: }\n"), AllOf(StartsWith("m.yaml:"), HasSubstr("not valid YAML")));
  EXPECT_THAT(error_of("a: 1\n  b: 2\n"), StartsWith("m.yaml:2: not valid YAML"));
}

TEST(MappingYamlStructureTest, QuoteThatIsNeverClosedIsAnError) {
  for (const char* text : {"version: 1\ndevice: \"A", "version: 1\ndevice: \"A\n",
                           "version: 1\ndevice: 'A\n\n", "version: 1\ndevice: \"A\nframework: B\n"}) {
    EXPECT_THAT(error_of(text), AllOf(StartsWith("m.yaml:"), HasSubstr("close its quote"))) << text;
  }
}

TEST(MappingYamlStructureTest, TextBehindTheDocumentIsAnError) {
  EXPECT_THAT(error_of("- a\nb: c\n"), AllOf(StartsWith("m.yaml:2: "), HasSubstr("does not belong")));
}

TEST(MappingYamlStructureTest, SeveralDocumentsAreAnError) {
  EXPECT_THAT(error_of("a: 1\n---\nb: 2\n"), AllOf(StartsWith("m.yaml:2: "), HasSubstr("second document")));
  EXPECT_NO_THROW(parse("---\na: 1\n...\n"));
}

TEST(MappingYamlStructureTest, BytesThatAreNoTextNameTheLine) {
  EXPECT_THAT(error_of("a: 1\nb: \0\n"s), StartsWith("m.yaml:2: "));
  EXPECT_THAT(error_of("a: 1\n\nb: \xFF\n"), AllOf(StartsWith("m.yaml:3: "), HasSubstr("UTF-8")));
  EXPECT_THAT(error_of("a: 1\nb: \xE6\xB5"), StartsWith("m.yaml:2: "));
  EXPECT_THAT(error_of("a: 1\nb: \"\\0\"\n"), AllOf(StartsWith("m.yaml:2: "), HasSubstr("NUL")));
}

TEST(MappingYamlStructureTest, ByteOrderMarkIsAccepted) {
  EXPECT_EQ(parse("\xEF\xBB\xBFversion: 1.0\n").mapping.version, "1.0");
}

TEST(MappingYamlStructureTest, MoreThan16MebibytesAreAnError) {
  std::string text = "a: 1\n#";
  text.resize(std::size_t{16} * 1024 * 1024, 'x');
  EXPECT_NO_THROW(parse(text));
  EXPECT_THAT(error_of(text + 'x'), AllOf(StartsWith("m.yaml:2: "), HasSubstr("16 MiB")));
}

}  // namespace
}  // namespace profdb::importer
