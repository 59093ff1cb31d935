// Kernel CSV files as they really are (formats §2, importer/read/csv.h).
// Long: one case per oddity of formats §2.
#include "importer/read/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "profdb/error.h"

namespace profdb::importer {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Cells = std::vector<std::string>;
using namespace std::string_literals;

// Everything that a reading handed out.
struct Seen {
  std::vector<Cells> headers;
  std::vector<CsvRow> rows;
  std::vector<CsvRow> ragged;
  CsvSummary summary;
};

class CsvTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "profdb_csv_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(std::string_view bytes, const char* name = "Kernel.csv") const {
    auto path = folder_ / name;
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
  }

  static Seen read_path(const std::filesystem::path& path) {
    Seen seen;
    CsvHandler handler;
    handler.on_header = [&](const Cells& columns) { seen.headers.push_back(columns); };
    handler.on_row = [&](const CsvRow& row) { return seen.rows.push_back(row), true; };
    handler.on_ragged = [&](const CsvRow& row) { return seen.ragged.push_back(row), true; };
    seen.summary = read_csv(path, handler);
    return seen;
  }
  Seen read(std::string_view bytes) const { return read_path(file(bytes)); }

  // The message of the Error(input) that reading the bytes throws.
  static std::string error_of_path(const std::filesystem::path& path) {
    try {
      read_path(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }
  std::string error_of(std::string_view bytes) const { return error_of_path(file(bytes)); }

  std::filesystem::path folder_;
};

TEST_F(CsvTest, HandsOutHeaderThenRows) {
  const Seen seen = read("A,B\n1,2\n3,4\n");
  EXPECT_THAT(seen.headers, ElementsAre(Cells{"A", "B"}));
  ASSERT_THAT(seen.rows, SizeIs(2));
  EXPECT_EQ(seen.rows[0].cells, (Cells{"1", "2"}));
  EXPECT_EQ(seen.rows[0].row_number, 1U);
  EXPECT_EQ(seen.rows[0].line, 2U);
  EXPECT_EQ(seen.rows[1].cells, (Cells{"3", "4"}));
  EXPECT_EQ(seen.rows[1].row_number, 2U);
  EXPECT_EQ(seen.rows[1].line, 3U);
  EXPECT_EQ(seen.summary.data_rows, 2U);
}

TEST_F(CsvTest, ByteOrderMarkIsNotPartOfTheFirstName) {
  EXPECT_THAT(read("\xEF\xBB\xBFOP State,B\n1,2\n").headers, ElementsAre(Cells{"OP State", "B"}));
}

TEST_F(CsvTest, ByteOrderMarkMayPrecedeAQuotedName) {
  EXPECT_THAT(read("\xEF\xBB\xBF\"A,1\",B\n1,2\n").headers, ElementsAre(Cells{"A,1", "B"}));
}

TEST_F(CsvTest, CrlfEndsARecordOnceAndLeavesNoCarriageReturn) {
  const Seen seen = read("A,B\r\n1,2\r\n3,4\r\n");
  ASSERT_THAT(seen.rows, SizeIs(2));
  EXPECT_EQ(seen.rows[0].cells, (Cells{"1", "2"}));
  EXPECT_EQ(seen.rows[0].line, 2U);
  EXPECT_EQ(seen.rows[1].line, 3U);
}

TEST_F(CsvTest, BareCarriageReturnEndsARecord) {
  const Seen seen = read("A,B\r1,2\r3,4\r");
  ASSERT_THAT(seen.rows, SizeIs(2));
  EXPECT_EQ(seen.rows[1].cells, (Cells{"3", "4"}));
  EXPECT_EQ(seen.rows[1].line, 3U);
}

TEST_F(CsvTest, EmptyAndBlankLinesAreNoRowsButCountAsLines) {
  const Seen seen = read("\nA,B\n\n1,2\r\n\r\n  \t\n3,4\n\n");
  EXPECT_THAT(seen.headers, ElementsAre(Cells{"A", "B"}));
  ASSERT_THAT(seen.rows, SizeIs(2));
  EXPECT_EQ(seen.rows[0].line, 4U);
  EXPECT_EQ(seen.rows[1].line, 7U);
  EXPECT_EQ(seen.summary.data_rows, 2U);
}

TEST_F(CsvTest, LastRowNeedsNoLineEnd) {
  const Seen seen = read("A,B\n1,\"2\"");
  ASSERT_THAT(seen.rows, SizeIs(1));
  EXPECT_EQ(seen.rows[0].cells, (Cells{"1", "2"}));
}

TEST_F(CsvTest, RepeatedHeaderRowIsNoRow) {
  const Seen seen = read("A,B\n1,2\nA,B\n3,4\n");
  EXPECT_THAT(seen.headers, SizeIs(1));
  ASSERT_THAT(seen.rows, SizeIs(2));
  EXPECT_EQ(seen.rows[1].cells, (Cells{"3", "4"}));
  EXPECT_EQ(seen.rows[1].row_number, 2U);
  EXPECT_EQ(seen.rows[1].line, 4U);
  EXPECT_EQ(seen.summary.data_rows, 2U);
}

TEST_F(CsvTest, RepeatedHeaderMayBringItsByteOrderMark) {
  EXPECT_THAT(read("\xEF\xBB\xBF"
                   "A,B\n1,2\n\xEF\xBB\xBF"
                   "A,B\n3,4\n")
                  .rows,
              SizeIs(2));
}

TEST_F(CsvTest, RepeatedHeaderWithDuplicateNamesIsNoRow) {
  EXPECT_THAT(read("A,A\nA,A\n1,2\n").rows, SizeIs(1));
}

TEST_F(CsvTest, RowThatSharesOnlySomeCellsWithTheHeaderIsARow) {
  EXPECT_THAT(read("A,B\nA,2\n").rows, SizeIs(1));
}

TEST_F(CsvTest, DuplicateColumnNamesAreNumbered) {
  EXPECT_THAT(read("A,B,A,A\n").headers, ElementsAre(Cells{"A", "B", "A#2", "A#3"}));
}

TEST_F(CsvTest, NumberedNamesStayDistinctFromNamesOfTheFile) {
  EXPECT_THAT(read("A,A#2,A,A#2\n").headers, ElementsAre(Cells{"A", "A#2", "A#3", "A#2#2"}));
}

TEST_F(CsvTest, ColumnNamesAreTrimmed) {
  EXPECT_THAT(read(" A ,\" B \t\"\n").headers, ElementsAre(Cells{"A", "B"}));
}

TEST_F(CsvTest, QuotedCellKeepsCommasQuotesNewlinesAndBlanks) {
  const Seen seen = read("A,B\n\"1,2\",\"say \"\"hi\"\"\r\n there \"\n");
  ASSERT_THAT(seen.rows, SizeIs(1));
  EXPECT_EQ(seen.rows[0].cells, (Cells{"1,2", "say \"hi\"\r\n there "}));
}

TEST_F(CsvTest, ExtraPairOfQuotesInsideACellIsKept) {
  const Seen seen = read("A,B\n\"\"\"128,4,128;2,2\"\"\",x\n");
  ASSERT_THAT(seen.rows, SizeIs(1));
  EXPECT_EQ(seen.rows[0].cells, (Cells{"\"128,4,128;2,2\"", "x"}));
}

TEST_F(CsvTest, BlanksAroundAnUnquotedCellAreRemoved) {
  const Seen seen = read("A,B,C\n 12.5 ,\t1e3 , \n");
  ASSERT_THAT(seen.rows, SizeIs(1));
  EXPECT_EQ(seen.rows[0].cells, (Cells{"12.5", "1e3", ""}));
}

TEST_F(CsvTest, QuoteInsideAnUnquotedCellIsACharacter) {
  const Seen seen = read("A,B\n5\" disk,a\"\"b\"\n1,2\n");
  ASSERT_THAT(seen.rows, SizeIs(2));
  EXPECT_EQ(seen.rows[0].cells, (Cells{"5\" disk", "a\"\"b\""}));
  EXPECT_EQ(seen.rows[1].cells, (Cells{"1", "2"}));
  EXPECT_EQ(seen.rows[1].line, 3U);
}

TEST_F(CsvTest, StrayQuoteDoesNotExcuseALaterOneThatIsOpen) {
  EXPECT_THAT(error_of("A,B\n5\" disk,1\n2,\"3\n"),
              AllOf(HasSubstr("Kernel.csv:3:"), HasSubstr("never closed")));
}

TEST_F(CsvTest, LineIsWhereTheRecordStarts) {
  const Seen seen = read("A,B\n\"1\n\n2\",\"3\r\n4\"\n5,6\n");
  ASSERT_THAT(seen.rows, SizeIs(2));
  EXPECT_EQ(seen.rows[0].line, 2U);
  EXPECT_EQ(seen.rows[1].line, 6U);  // 2 + two newlines in the first cell + one in the second + its own
}

TEST_F(CsvTest, RowsOfAnotherWidthAreRagged) {
  const Seen seen = read("A,B\n1\n1,2\n1,2,3\n");
  EXPECT_THAT(seen.rows, SizeIs(1));
  EXPECT_EQ(seen.rows[0].cells, (Cells{"1", "2"}));
  EXPECT_EQ(seen.rows[0].row_number, 2U);
  ASSERT_THAT(seen.ragged, SizeIs(2));
  EXPECT_EQ(seen.ragged[0].cells, (Cells{"1"}));
  EXPECT_EQ(seen.ragged[0].row_number, 1U);
  EXPECT_EQ(seen.ragged[0].line, 2U);
  EXPECT_EQ(seen.ragged[1].cells, (Cells{"1", "2", "3"}));
  EXPECT_EQ(seen.ragged[1].row_number, 3U);
  EXPECT_EQ(seen.summary.data_rows, 3U);
}

TEST_F(CsvTest, RowOfEmptyCellsIsARow) {
  const Seen seen = read("A,B\n,\n");
  ASSERT_THAT(seen.rows, SizeIs(1));
  EXPECT_EQ(seen.rows[0].cells, (Cells{"", ""}));
}

TEST_F(CsvTest, HeaderWithoutRowsHasNoDataRows) {
  const Seen seen = read("A,B\n");
  EXPECT_THAT(seen.headers, ElementsAre(Cells{"A", "B"}));
  EXPECT_EQ(seen.summary.data_rows, 0U);
}

TEST_F(CsvTest, ThousandsOfEqualRowsAcrossReadBuffersAllArrive) {
  // 20,000 rows of 48 bytes with a two-byte character and a newline in quotes: well over the read buffer.
  std::string bytes = "A,B\n";
  for (int i = 0; i < 20'000; ++i) bytes += "\"136,5120;320,48,16,16\",\"\xC3\xBC\n0123456789abcdef\"\n";
  const Seen seen = read(bytes);
  ASSERT_THAT(seen.rows, SizeIs(20'000));
  for (std::size_t i = 0; i < seen.rows.size(); ++i) {
    ASSERT_EQ(seen.rows[i].cells, (Cells{"136,5120;320,48,16,16", "\xC3\xBC\n0123456789abcdef"}));
    ASSERT_EQ(seen.rows[i].row_number, i + 1);
    ASSERT_EQ(seen.rows[i].line, 2 + 2 * i);
  }
}

TEST_F(CsvTest, SummaryHoldsSizeAndDigestOfTheBytesOnDisk) {
  // SHA-256 of "\xEF\xBB\xBFA\n1\n", by coreutils' sha256sum.
  const Seen seen = read(
      "\xEF\xBB\xBF"
      "A\n1\n");
  EXPECT_EQ(seen.summary.bytes, 7U);
  EXPECT_EQ(seen.summary.sha256, "0810ccdc4d6d846d7a4fbc28fb95180a999e963d8b3e24810dc62114b07292fc");
}

TEST_F(CsvTest, DigestOfAFileIsThatOfFips180) {
  // FIPS 180-2, appendix B.1, and the digest of no bytes at all.
  EXPECT_EQ(sha256_of_file(file("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of_file(file("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_F(CsvTest, DigestOfAMissingFileIsAnError) {
  EXPECT_THROW(sha256_of_file(folder_ / "absent.csv"), Error);
}

TEST_F(CsvTest, HandlerMayStopTheReading) {
  int rows = 0;
  CsvHandler handler;
  handler.on_row = [&](const CsvRow&) { return ++rows < 2; };
  EXPECT_EQ(read_csv(file("A\n1\n2\n3\n\"open"), handler).data_rows, 2U);
  EXPECT_EQ(rows, 2);
}

TEST_F(CsvTest, NothingIsReadOnceTheHandlerHasStopped) {
  // The NUL byte is a megabyte away from the row that stops.
  CsvHandler handler;
  handler.on_row = [](const CsvRow&) { return false; };
  EXPECT_EQ(read_csv(file("A\n1\n" + std::string(std::size_t{1} << 20, '\n') + "\0"s), handler).data_rows,
            1U);
}

TEST_F(CsvTest, HandlerMayStopAtARaggedRow) {
  int ragged = 0;
  CsvHandler handler;
  handler.on_ragged = [&](const CsvRow&) { return ++ragged < 1; };
  EXPECT_EQ(read_csv(file("A\n1,1\n2,2\n"), handler).data_rows, 1U);
  EXPECT_EQ(ragged, 1);
}

TEST_F(CsvTest, WhatAHandlerThrowsReachesTheCaller) {
  int rows = 0;
  CsvHandler handler;
  handler.on_row = [&](const CsvRow&) -> bool {
    ++rows;
    throw std::runtime_error("full");
  };
  EXPECT_THAT([&] { read_csv(file("A\r1\r2\r3\r"), handler); },
              testing::ThrowsMessage<std::runtime_error>("full"));
  EXPECT_EQ(rows, 1);
}

TEST_F(CsvTest, WhatAHandlerThrowsAtTheLastRowReachesTheCaller) {
  CsvHandler handler;
  handler.on_row = [](const CsvRow&) -> bool { throw std::runtime_error("full"); };
  EXPECT_THROW(read_csv(file("A\n1"), handler), std::runtime_error);
}

TEST_F(CsvTest, EmptyFileIsAnError) {
  for (const auto& bytes : {""s, "\xEF\xBB\xBF"s, "\n\r\n \n"s, "\xEF\xBB\xBF\r\n"s}) {
    EXPECT_THAT(error_of(bytes), AllOf(HasSubstr("Kernel.csv"), HasSubstr("the file is empty"))) << bytes;
  }
}

TEST_F(CsvTest, GitLfsPointerIsNamedWithTheRemedy) {
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\noid "
      "sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d1"
      "7e2393\nsize 12345\n";
  for (const auto& bytes : {pointer, "\xEF\xBB\xBF" + pointer}) {
    EXPECT_THAT(error_of(bytes),
                AllOf(HasSubstr("Kernel.csv"), HasSubstr("Git LFS pointer"), HasSubstr("git lfs pull")));
  }
}

TEST_F(CsvTest, NulByteIsABinaryFileAndNamesTheLine) {
  EXPECT_THAT(error_of("A,B\n1,2\n3,\0\n"s), AllOf(HasSubstr("Kernel.csv:3:"), HasSubstr("NUL")));
}

TEST_F(CsvTest, NulByteAmongManyOtherBytesIsFound) {
  EXPECT_THAT(error_of("A\n" + std::string(1000, 'x') + "\0"s + std::string(1000, 'x') + "\n"),
              HasSubstr("Kernel.csv:2: a NUL byte"));
}

TEST_F(CsvTest, BadByteBehindBareCarriageReturnsNamesItsLine) {
  EXPECT_THAT(error_of("A\r1\r\xFF\r"), HasSubstr("Kernel.csv:3:"));
}

TEST_F(CsvTest, BytesThatAreNotUtf8NameTheLine) {
  // A Latin-1 umlaut, overlong forms, a surrogate, a code point past U+10FFFF, a lone continuation byte.
  for (const auto& bad : {"\xFC"s, "\xC0\xAF"s, "\xED\xA0\x80"s, "\xF4\x90\x80\x80"s, "\x80"s, "\xF8"s,
                          "\xE0\x80\x80"s, "\xF0\x80\x80\x80"s}) {
    EXPECT_THAT(error_of("A,B\n1,2\n3," + bad + "\n"), AllOf(HasSubstr("Kernel.csv:3:"), HasSubstr("UTF-8")));
  }
}

TEST_F(CsvTest, BadByteBehindLinesWithinQuotesNamesItsOwnLine) {
  EXPECT_THAT(error_of("A,B\r\n\"1\n\n\xFF\",2\n"), HasSubstr("Kernel.csv:4:"));
}

TEST_F(CsvTest, BadByteFarIntoTheFileNamesItsLine) {
  std::string bytes = "A,B\n";
  for (int i = 0; i < 50'000; ++i) bytes += "0123456,89\n";  // lines 2 to 50,001
  EXPECT_THAT(error_of(bytes + "\xFF,1\n"), HasSubstr("Kernel.csv:50002:"));
}

TEST_F(CsvTest, Utf16IsNotText) {
  EXPECT_THAT(error_of("\xFF\xFE\x41\0"s), HasSubstr("Kernel.csv:1:"));
}

TEST_F(CsvTest, FileCutWithinACharacterIsAnError) {
  EXPECT_THAT(error_of("A,B\n1,\xE6\xB5"), AllOf(HasSubstr("Kernel.csv:2:"), HasSubstr("cut short")));
}

TEST_F(CsvTest, EveryLengthOfUtf8IsText) {
  const Seen seen = read("A\n\xC3\xBC\xE6\xB5\x8B\xF0\x9F\x98\x80\n");
  ASSERT_THAT(seen.rows, SizeIs(1));
  EXPECT_EQ(seen.rows[0].cells, (Cells{"\xC3\xBC\xE6\xB5\x8B\xF0\x9F\x98\x80"}));
}

TEST_F(CsvTest, CharactersAtTheEdgesOfUtf8AreText) {
  // U+0800, U+D7FF, U+E000, U+10000, U+10FFFF, each followed by another character.
  for (const auto& edge :
       {"\xE0\xA0\x80"s, "\xED\x9F\xBF"s, "\xEE\x80\x80"s, "\xF0\x90\x80\x80"s, "\xF4\x8F\xBF\xBF"s}) {
    EXPECT_THAT(read("A\n" + edge + "\xE6\xB5\x8B\n").rows, SizeIs(1)) << edge;
  }
}

TEST_F(CsvTest, UnterminatedQuoteNamesTheLineWhereItOpens) {
  EXPECT_THAT(error_of("A,B\n1,2\n\"x\ny\",\"3\n4,5\n"),
              AllOf(HasSubstr("Kernel.csv:4:"), HasSubstr("never closed")));
}

TEST_F(CsvTest, UndoubledQuoteInAQuotedCellNamesTheLineWhereTheCellStarts) {
  EXPECT_THAT(error_of("A,B\n1,2\n\"3\n\"4,5\n"), AllOf(HasSubstr("Kernel.csv:3:"), HasSubstr("doubled")));
}

TEST_F(CsvTest, QuoteThatWouldSwallowTheFileIsAnErrorBeforeMemoryIsFull) {
  const std::string swallowed(std::size_t{17} * 1024 * 1024, 'x');
  EXPECT_THAT(error_of("A,B\n1,\"2\n" + swallowed), AllOf(HasSubstr("Kernel.csv:2:"), HasSubstr("16 MiB")));
}

TEST_F(CsvTest, FileMayBeLongerThanARecordMay) {
  std::string bytes = "A,B\n";
  for (int i = 0; i < 17 * 1024; ++i) bytes += "1," + std::string(1024, 'x') + "\n";  // just over 17 MiB
  EXPECT_EQ(read(bytes).summary.data_rows, 17U * 1024);
}

TEST_F(CsvTest, MissingFileNamesItselfAndTheReason) {
  EXPECT_THAT(error_of_path(folder_ / "absent.csv"),
              AllOf(HasSubstr("absent.csv"), HasSubstr("No such file or directory")));
}

TEST_F(CsvTest, DirectoryNamesItselfAndTheReason) {
  EXPECT_THAT(error_of_path(folder_), AllOf(HasSubstr(folder_.string()), HasSubstr("Is a directory")));
}

TEST_F(CsvTest, UnreadableFileNamesItselfAndTheReason) {
  // A link to itself cannot be opened by anyone, not even by root.
  std::filesystem::create_symlink(folder_ / "loop.csv", folder_ / "loop.csv");
  EXPECT_THAT(error_of_path(folder_ / "loop.csv"), AllOf(HasSubstr("loop.csv"), HasSubstr("symbolic links")));
}

}  // namespace
}  // namespace profdb::importer
