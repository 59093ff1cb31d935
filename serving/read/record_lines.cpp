// Reading in pieces.
#include "serving/read/record_lines.h"

#include <fmt/format.h>

#include "base/input/input_file.h"
#include "base/input/sha256.h"
#include "profdb/error.h"

namespace profdb::serving {

namespace {

constexpr std::size_t kRecordsPiece = std::size_t{1} << 20;
constexpr std::size_t kLongestLine = std::size_t{64} << 20;

void deliver(std::string_view line, std::int64_t number,
             const std::function<void(std::string_view, std::int64_t)>& visit) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!line.empty()) visit(line, number);
}

}  // namespace

LinesRead read_lines(const std::filesystem::path& path,
                     const std::function<void(std::string_view, std::int64_t)>& visit) {
  InputFile file(path);
  Sha256 digest;
  LinesRead read;
  std::string rest;  // of a line that goes on in the next piece
  while (true) {
    std::string_view piece = file.read(kRecordsPiece);
    if (piece.empty()) break;
    digest.update(piece);
    read.bytes += static_cast<std::int64_t>(piece.size());
    for (std::size_t end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
      ++read.lines;
      if (rest.empty()) {
        deliver(piece.substr(0, end), read.lines, visit);
      } else {
        rest += piece.substr(0, end);
        deliver(rest, read.lines, visit);
        rest.clear();
      }
      piece.remove_prefix(end + 1);
    }
    rest += piece;
    if (rest.size() > kLongestLine)
      throw Error(ErrorKind::input, fmt::format("{}:{}: a line above 64 MiB; check that this is a JSONL file",
                                                path.string(), read.lines + 1));
  }
  if (!rest.empty())
    throw Error(
        ErrorKind::input,
        fmt::format("{}:{}: the last line does not end; the file is still being written or was cut short",
                    path.string(), read.lines + 1));
  read.sha256 = digest.finish();
  return read;
}

}  // namespace profdb::serving
