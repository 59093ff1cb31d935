// Writing a file in one step.
#include "cli/output/write_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "profdb/error.h"

namespace profdb::cli {
namespace {

[[noreturn]] void cannot_write(const std::string& file) {
  throw Error(ErrorKind::input, fmt::format("{}: cannot be written: {}; name another file with --out", file,
                                            std::strerror(errno)));
}

}  // namespace

void write_file(const std::string& file, const std::string& text) {
  const std::string part = file + ".part";
  errno = 0;
  std::ofstream stream(part, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream) {
    const int cause = errno;
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    errno = cause;
    cannot_write(file);
  }
  std::error_code failed;
  std::filesystem::rename(part, file, failed);
  if (!failed) return;
  errno = failed.value();
  std::error_code ignored;
  std::filesystem::remove(part, ignored);
  cannot_write(file);
}

}  // namespace profdb::cli
