// Finding a release's files, mapping and identity (formats §1, importer/release_source.h).
#include "importer/release_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/release.h"

namespace profdb::importer {
namespace {

using test::TempFolder;
using test::write_file;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kOperators =
    "operator_mappings:\n  op: {kernel_type: Neg, alternate_kernel_types: [hcom_allReduce_]}\n";
const std::string kIdentity =
    "device: NPU\nframework: vllm\nversion: \"1.0\"\npytorch_version: \"2.0\"\ncann_version: \"8.0\"\n";
const std::string kCsv = test::csv_header() + "dynamic,AI_CORE,16,DT_BF16,ND,16,DT_BF16,ND,5\n";

// A folder with Neg.csv and a mapping; options that import it.
class ReleaseSourceTest : public testing::Test {
 protected:
  explicit ReleaseSourceTest(const std::string& name = "release") : folder_(temp_ / name) {
    write_file(folder_ / "Neg.csv", kCsv);
    write_mapping(kIdentity);
    options_.sources = {folder_};
  }

  void write_mapping(const std::string& head) { write_file(folder_ / "op_mapping.yaml", head + kOperators); }
  ReleaseSource find() { return find_release_source(options_); }
  std::string error_of(ErrorKind kind) {
    try {
      find();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }

  TempFolder temp_;
  std::filesystem::path folder_;
  ImportOptions options_;
};

std::vector<std::string> texts(const Identity& id) {
  return {id.device, id.framework, id.framework_version, id.torch_version, id.cann_version};
}

std::vector<std::string> files(const ReleaseSource& source) {
  std::vector<std::string> found;
  for (const SourceFile& file : source.files) found.push_back(file.path + "=" + file.kernel);
  return found;
}

class NamedFolderTest : public ReleaseSourceTest {
 protected:
  NamedFolderTest() : ReleaseSourceTest("vllm0.18.0_torch2.9.0_cann8.5") { write_mapping("device: NPU\n"); }
};

TEST_F(NamedFolderTest, TheFolderNameCarriesTheIdentity) {
  EXPECT_THAT(texts(find().identity), ElementsAre("NPU", "vllm", "0.18.0", "2.9.0", "8.5"));
}

TEST_F(NamedFolderTest, ATrailingSlashChangesNothing) {
  options_.sources = {folder_ / ""};
  EXPECT_THAT(texts(find().identity), ElementsAre("NPU", "vllm", "0.18.0", "2.9.0", "8.5"));
}

TEST_F(NamedFolderTest, TheMappingWinsOverTheFolderName) {
  write_mapping("device: NPU\nframework: sglang\nversion: \"0.5\"\ncann_version: \"8.6\"\n");
  EXPECT_THAT(texts(find().identity), ElementsAre("NPU", "sglang", "0.5", "2.9.0", "8.6"));
}

TEST_F(NamedFolderTest, FlagsWinOverBoth) {
  write_mapping("device: NPU\nversion: \"0.5\"\npytorch_version: \"2.5\"\n");
  options_.identity = {"OTHER_NPU", "", "7.0", "", "9.0"};
  EXPECT_THAT(texts(find().identity), ElementsAre("OTHER_NPU", "vllm", "7.0", "2.5", "9.0"));
}

TEST_F(NamedFolderTest, WhatIsMissingIsNamedByItsFlag) {
  write_mapping("");
  EXPECT_THAT(error_of(ErrorKind::usage), AllOf(HasSubstr("--device"), Not(HasSubstr("--framework"))));
}

TEST_F(ReleaseSourceTest, EveryMissingPartIsNamedByItsFlag) {
  write_mapping("");
  EXPECT_THAT(error_of(ErrorKind::usage),
              AllOf(HasSubstr("--device"), HasSubstr("--framework"), HasSubstr("--framework-version"),
                    HasSubstr("--torch-version"), HasSubstr("--cann-version")));
}

TEST_F(ReleaseSourceTest, AFileIsAKernelOfItsName) {
  EXPECT_THAT(files(find()), ElementsAre("Neg.csv=Neg"));
}

TEST_F(ReleaseSourceTest, FilesComeByNameAndOthersAreNotTaken) {
  write_file(folder_ / "ZZZ.csv", kCsv);
  write_file(folder_ / "Add.csv", kCsv);
  write_file(folder_ / "notes.txt", "no CSV");
  std::filesystem::create_directory(folder_ / "folder.csv");
  EXPECT_THAT(files(find()), ElementsAre("Add.csv=Add", "Neg.csv=Neg", "ZZZ.csv=ZZZ"));
}

TEST_F(ReleaseSourceTest, AnAliasGivesAFileToAKernel) {
  write_file(folder_ / "Neg_Decode.csv", kCsv);
  options_.kernel_alias = {{"Neg_Decode", "Neg"}};
  EXPECT_THAT(files(find()), ElementsAre("Neg.csv=Neg", "Neg_Decode.csv=Neg"));
}

TEST_F(ReleaseSourceTest, AnAliasForAFileThatIsNotThereIsAUsageError) {
  options_.kernel_alias = {{"Neg_Prefill", "Neg"}};
  EXPECT_THAT(error_of(ErrorKind::usage), HasSubstr("Neg_Prefill"));
}

TEST_F(ReleaseSourceTest, AFileThatNoOperatorMapsIsReported) {
  write_file(folder_ / "Neg_Decode.csv", kCsv);
  const ReleaseSource source = find();
  EXPECT_THAT(source.warnings, Contains(AllOf(HasSubstr("Neg_Decode.csv"), HasSubstr("--kernel-alias"))));
  EXPECT_EQ(source.files.size(), 2U);
}

TEST_F(ReleaseSourceTest, MappedFilesGiveNoWarning) {
  EXPECT_THAT(find().warnings, IsEmpty());
  write_file(folder_ / "Neg_Decode.csv", kCsv);
  options_.kernel_alias = {{"Neg_Decode", "Neg"}};
  EXPECT_THAT(find().warnings, IsEmpty());
}

TEST_F(ReleaseSourceTest, SingleFilesComeWithAMappingOfTheirOwn) {
  write_file(temp_ / "mapping.yaml", kIdentity + kOperators);
  options_.sources = {folder_ / "Neg.csv"};
  options_.mapping = temp_ / "mapping.yaml";
  EXPECT_THAT(files(find()), ElementsAre("Neg.csv=Neg"));
}

TEST_F(ReleaseSourceTest, AMappingThatIsGivenReplacesTheFolders) {
  write_file(temp_ / "mapping.yaml", "device: OTHER\n" + kOperators);
  options_.mapping = temp_ / "mapping.yaml";
  options_.identity = test::test_identity();
  options_.identity.device.clear();
  EXPECT_EQ(find().identity.device, "OTHER");
}

TEST_F(ReleaseSourceTest, WithoutAMappingTheErrorNamesTheFlag) {
  std::filesystem::remove(folder_ / "op_mapping.yaml");
  EXPECT_THAT(error_of(ErrorKind::usage), HasSubstr("--mapping"));
}

TEST_F(ReleaseSourceTest, NoSourceIsAUsageError) {
  options_.sources.clear();
  error_of(ErrorKind::usage);
}

TEST_F(ReleaseSourceTest, ASourceThatIsNotThereIsNamed) {
  options_.sources = {temp_ / "elsewhere"};
  EXPECT_THAT(error_of(ErrorKind::input), HasSubstr("elsewhere"));
}

TEST_F(ReleaseSourceTest, AFolderWithoutCsvIsAnInputError) {
  std::filesystem::remove(folder_ / "Neg.csv");
  EXPECT_THAT(error_of(ErrorKind::input), HasSubstr("release"));
}

TEST_F(ReleaseSourceTest, CommunicationFilesComeFromTheFolderThatTheMappingNames) {
  write_mapping(kIdentity + "communication_data_ref: ../hccl/\n");
  write_file(temp_ / "hccl" / "hcom_allReduce_.csv",
             "message_bytes,num_devices,Average Duration(us)\n1024,8,5\n");
  write_file(temp_ / "hccl" / "Neg.csv", kCsv);  // not hcom_*: another release's
  const ReleaseSource source = find();
  EXPECT_THAT(files(source), ElementsAre("Neg.csv=Neg", "../hccl/hcom_allReduce_.csv=hcom_allReduce_"));
  EXPECT_THAT(source.warnings, IsEmpty());
}

TEST_F(ReleaseSourceTest, CommunicationFilesMayLieInTheReleaseFolder) {
  write_file(folder_ / "hcom_allReduce_.csv", "message_bytes,num_devices,Average Duration(us)\n1024,8,5\n");
  EXPECT_THAT(files(find()), ElementsAre("Neg.csv=Neg", "hcom_allReduce_.csv=hcom_allReduce_"));
}

TEST_F(ReleaseSourceTest, ACommunicationFolderThatIsNotThereIsReported) {
  write_mapping(kIdentity + "communication_data_ref: ../hccl/\n");
  EXPECT_THAT(find().warnings, Contains(HasSubstr("../hccl/")));
}

// The digest of "abc", FIPS 180-4's example.
TEST_F(ReleaseSourceTest, DigestsAreSha256) {
  EXPECT_EQ(sha256_of_text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  write_file(folder_ / "Neg.csv", "abc");
  EXPECT_EQ(find().files.at(0).sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(find().files.at(0).bytes, 3U);
}

TEST_F(ReleaseSourceTest, TheContentDigestIsTheSameForTheSameContent) {
  const std::string digest = find().content_digest;
  EXPECT_EQ(digest.size(), 64U);
  EXPECT_EQ(find().content_digest, digest);
  options_.identity.device = "OTHER_NPU";
  EXPECT_EQ(find().content_digest, digest) << "the identity is no content";
}

TEST_F(ReleaseSourceTest, TheContentDigestDoesNotDependOnWhereTheFolderLies) {
  const std::string digest = find().content_digest;
  std::filesystem::rename(folder_, temp_ / "moved");
  options_.sources = {temp_ / "moved"};
  EXPECT_EQ(find().content_digest, digest);
}

TEST_F(ReleaseSourceTest, AnyChangeOfContentChangesTheDigest) {
  std::vector<std::string> digests = {find().content_digest};
  const auto expect_another = [&](const std::string& what) {
    const std::string digest = find().content_digest;
    EXPECT_THAT(digests, Not(Contains(digest))) << what;
    digests.push_back(digest);
  };
  write_file(folder_ / "Neg.csv", kCsv + "\n");
  expect_another("bytes of a file");
  write_file(folder_ / "Add.csv", kCsv);
  expect_another("a further file");
  options_.kernel_alias = {{"Add", "Neg"}};
  expect_another("the kernel of a file");
  write_file(folder_ / "op_mapping.yaml", kIdentity + kOperators + "  more: {zero_cost: true}\n");
  expect_another("an operator of the mapping");
}

TEST_F(ReleaseSourceTest, TheMappingsLayoutIsNoContent) {
  const std::string digest = find().mapping_digest;
  write_mapping("# a comment\n" + kIdentity);
  EXPECT_EQ(find().mapping_digest, digest);
}

}  // namespace
}  // namespace profdb::importer
