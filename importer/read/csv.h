// Reads kernel CSV files as they really are (formats §2), row by row, in bounded memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace profdb::importer {

// What is known of a file once it has been read to its end.
struct CsvSummary {
  std::uint64_t bytes = 0;
  std::string sha256;           // 64 lower-case hex digits, of the bytes as they are on disk
  std::uint64_t data_rows = 0;  // rows handed to on_row or on_ragged; headers and empty lines are not rows
};

// A row and where it stands. `line` is the physical line (from 1) on which the record starts; `row_number`
// counts data rows from 1.
struct CsvRow {
  std::uint64_t row_number = 0;
  std::uint64_t line = 0;
  // As many as the header has columns. Blanks around an unquoted cell and the quotes around a quoted one are
  // removed, doubled quotes are one; else as written.
  std::vector<std::string> cells;
};

struct CsvHandler {
  // Once, before any row. Column names trimmed, without the byte-order mark; a repeated name becomes NAME#2.
  std::function<void(const std::vector<std::string>& columns)> on_header;
  // Return false to stop reading (the digest is then of no use).
  std::function<bool(const CsvRow& row)> on_row;
  // A record whose number of cells is not the header's; `row.cells` holds what was there.
  std::function<bool(const CsvRow& row)> on_ragged;
};

// Reads `path` in pieces and calls the handler. Handles a UTF-8 byte-order mark, CRLF, quoted cells with
// commas, quotes and newlines, empty lines (skipped), repeated header rows (skipped). A quote inside an
// unquoted cell is a character like any other. Handler functions may be empty, and may throw: that ends the
// reading. Throws Error(input), naming the file, for: a file that cannot be opened or read, an empty file, a
// Git-LFS pointer (says so, and how to fetch it), a binary file (a NUL byte, or bytes that are not UTF-8:
// names the line), a quote that is never closed or not doubled (names the line where its cell starts), a
// record of more than 16 MiB.
CsvSummary read_csv(const std::filesystem::path& path, const CsvHandler& handler);

// SHA-256 of a file as 64 lower-case hex digits. Throws Error(input) where it cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace profdb::importer
