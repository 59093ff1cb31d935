// Kernel CSV files by libcsv: one pass that checks, digests, parses and counts physical lines.
#include "importer/read/csv.h"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/input/input_file.h"
#include "base/input/sha256.h"
#include "base/utf8.h"
#include "profdb/error.h"

namespace profdb::importer {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} * 1024;
// An open quote would otherwise take the rest of the file into memory.
constexpr std::size_t kMaxRecordBytes = std::size_t{16} * 1024 * 1024;
// Strict, so that a stray quote is reported; REPALL_NL, so that empty lines are, for the line count.
constexpr unsigned char kOptions = CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL;
constexpr unsigned char kLenientOptions = CSV_REPALL_NL;

std::string trimmed_name(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

// Trims the names and makes them distinct: NAME, NAME#2, NAME#3.
std::vector<std::string> distinct_names(const std::vector<std::string>& header) {
  std::vector<std::string> names;
  names.reserve(header.size());
  std::unordered_map<std::string, std::size_t> uses;
  for (const std::string& cell : header) {
    const std::string name = trimmed_name(cell);
    std::string distinct = name;
    // Twice round only where the file itself has a column called NAME#2.
    while (uses.contains(distinct)) distinct = fmt::format("{}#{}", name, ++uses[name]);
    uses.emplace(distinct, 1);
    names.push_back(std::move(distinct));
  }
  return names;
}

// libcsv's parser with its buffer.
class Parser {
 public:
  Parser() {
    if (csv_init(&parser_, kOptions) != 0) throw std::bad_alloc();
    csv_set_blk_size(&parser_, kPieceBytes);
  }
  ~Parser() { csv_free(&parser_); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  csv_parser* get() { return &parser_; }
  bool in_quoted_cell() const { return parser_.quoted != 0; }

 private:
  csv_parser parser_{};
};

// The state of one read_csv call. libcsv's callbacks come back to it; what they throw is kept and thrown
// again once the C code has returned.
class Reader {
 public:
  Reader(const std::filesystem::path& path, const CsvHandler& handler) : file_(path), handler_(handler) {}

  CsvSummary read();

 private:
  static void on_cell(void* text, std::size_t size, void* self);
  static void on_record_end(int terminator, void* self);

  void check_text(std::string_view piece);
  void feed(std::string_view piece);
  void parse(std::string_view line);
  void finish();
  void add_cell(std::string_view text);
  void end_record(int terminator);
  void deliver();
  void take_header();
  bool repeats_header() const;
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  [[noreturn]] void fail(std::uint64_t line, std::string_view what) const;

  InputFile file_;
  const CsvHandler& handler_;
  Parser parser_;
  TextCheck text_check_;
  CsvSummary summary_;
  std::vector<std::string> header_;  // as it stands in the file, for repeated ones
  bool header_seen_ = false;

  CsvRow row_;                  // its strings are used again for every row
  std::size_t cell_count_ = 0;  // cells of row_ that belong to the current record
  std::size_t record_bytes_ = 0;

  std::uint64_t line_ = 1;         // where the next byte stands
  std::uint64_t record_line_ = 1;  // where the current record started
  std::uint64_t cell_line_ = 1;    // where the current cell started
  bool after_cr_ = false;          // the last record ended with CR: a LF right behind it is the same line end
  bool newline_ended_record_ = false;

  bool stopped_ = false;  // by the handler, or by a failure
  std::exception_ptr failure_;
};

CsvSummary Reader::read() {
  Sha256 digest;
  for (;;) {
    std::string_view piece = file_.read(kPieceBytes);
    if (piece.empty()) break;
    digest.update(piece);
    const bool first = summary_.bytes == 0;
    summary_.bytes += piece.size();
    if (first) {
      if (piece.starts_with(kByteOrderMark)) piece.remove_prefix(kByteOrderMark.size());
      refuse_lfs_pointer(file_.path(), piece);
    }
    check_text(piece);
    feed(piece);
    if (stopped_) return summary_;
  }
  finish();
  summary_.sha256 = digest.finish();
  return summary_;
}

void Reader::fail(std::uint64_t line, std::string_view what) const {
  throw Error(ErrorKind::input, fmt::format("{}:{}: {}", file_.path().string(), line, what));
}

void Reader::check_text(std::string_view piece) {
  const auto bad = text_check_.feed(piece);
  if (!bad) return;
  const std::uint64_t line = line_ + count_lines(piece.substr(0, *bad));
  const char* what =
      piece[*bad] == '\0' ? "a NUL byte: a binary file" : "not UTF-8: binary or another encoding";
  fail(line, fmt::format("{}; export the file again as UTF-8 text", what));
}

// Line by line, because libcsv does not say where in a piece it is.
void Reader::feed(std::string_view piece) {
  while (!piece.empty()) {
    const std::string_view line = piece.substr(0, std::min(piece.find('\n'), piece.size() - 1) + 1);
    piece.remove_prefix(line.size());
    record_bytes_ += line.size();
    newline_ended_record_ = false;
    parse(line);
    if (stopped_) return;
    if (line.back() == '\n' && !newline_ended_record_) ++line_;  // inside a quoted cell
    if (record_bytes_ > kMaxRecordBytes) {
      fail(record_line_,
           "the record that starts here is longer than 16 MiB; look for a quote that is not closed");
    }
  }
}

void Reader::parse(std::string_view line) {
  for (;;) {
    const std::size_t done = csv_parse(parser_.get(), line.data(), line.size(), on_cell, on_record_end, this);
    rethrow();
    if (done == line.size()) return;
    if (csv_error(parser_.get()) != CSV_EPARSE) throw std::bad_alloc();
    if (parser_.in_quoted_cell()) {
      fail(cell_line_,
           "the quoted cell that starts here holds a quote that is not doubled, or is not closed; "
           "write \"\" for a quote inside it");
    }
    // A quote inside an unquoted cell is a character like any other.
    csv_set_opts(parser_.get(), kLenientOptions);
    const std::size_t taken = csv_parse(parser_.get(), line.data() + done, 1, on_cell, on_record_end, this);
    if (taken != 1) throw std::bad_alloc();
    csv_set_opts(parser_.get(), kOptions);
    line.remove_prefix(done + 1);
    if (line.empty()) return;
  }
}

void Reader::finish() {
  if (!text_check_.complete())
    fail(line_, "the file ends within a character: it is cut short; copy it again");
  if (csv_fini(parser_.get(), on_cell, on_record_end, this) != 0) {
    fail(cell_line_,
         "the quote that opens here is never closed; close it, or copy the file again if it is cut short");
  }
  rethrow();
  if (!header_seen_) {
    throw Error(ErrorKind::input,
                fmt::format("{}: the file is empty; export it again or leave it out", file_.path().string()));
  }
}

void Reader::on_cell(void* text, std::size_t size, void* self) {
  auto& reader = *static_cast<Reader*>(self);
  if (reader.stopped_) return;
  try {
    reader.add_cell({static_cast<const char*>(text), size});
  } catch (...) {
    reader.failure_ = std::current_exception();
    reader.stopped_ = true;
  }
}

void Reader::on_record_end(int terminator, void* self) {
  auto& reader = *static_cast<Reader*>(self);
  if (reader.stopped_) return;
  try {
    reader.end_record(terminator);
  } catch (...) {
    reader.failure_ = std::current_exception();
    reader.stopped_ = true;
  }
}

void Reader::add_cell(std::string_view text) {
  if (cell_count_ == row_.cells.size()) row_.cells.emplace_back();
  row_.cells[cell_count_++].assign(text);
  cell_line_ = line_;
  after_cr_ = false;
}

// `terminator` is CR or LF, or -1 at the end of the file. Also called for an empty line.
void Reader::end_record(int terminator) {
  const bool second_half_of_crlf = terminator == '\n' && after_cr_;
  newline_ended_record_ = terminator == '\n';
  after_cr_ = terminator == '\r';
  record_bytes_ = 0;
  if (cell_count_ > 0) deliver();
  cell_count_ = 0;
  if (!second_half_of_crlf) ++line_;
  record_line_ = line_;
  cell_line_ = line_;
}

void Reader::deliver() {
  if (row_.cells.size() != cell_count_) row_.cells.resize(cell_count_);
  if (!header_seen_) return take_header();
  if (repeats_header()) return;
  row_.row_number = ++summary_.data_rows;
  row_.line = record_line_;
  const auto& receive = cell_count_ == header_.size() ? handler_.on_row : handler_.on_ragged;
  if (receive && !receive(row_)) stopped_ = true;
}

void Reader::take_header() {
  header_seen_ = true;
  header_ = row_.cells;
  if (handler_.on_header) handler_.on_header(distinct_names(header_));
}

// Files that were joined by hand repeat their header, and its byte-order mark with it.
bool Reader::repeats_header() const {
  if (cell_count_ != header_.size()) return false;
  std::string_view first = row_.cells.front();
  if (first.starts_with(kByteOrderMark)) first.remove_prefix(kByteOrderMark.size());
  return first == header_.front() && std::equal(header_.begin() + 1, header_.end(), row_.cells.begin() + 1);
}

}  // namespace

CsvSummary read_csv(const std::filesystem::path& path, const CsvHandler& handler) {
  return Reader(path, handler).read();
}

std::string sha256_of_file(const std::filesystem::path& path) {
  InputFile file(path);
  Sha256 digest;
  for (;;) {
    const std::string_view piece = file.read(kPieceBytes);
    if (piece.empty()) return digest.finish();
    digest.update(piece);
  }
}

}  // namespace profdb::importer
