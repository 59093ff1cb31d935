// Opening and reading files from outside.
#include "base/input/input_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "profdb/error.h"

namespace profdb {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  const std::string reason = std::generic_category().message(errno);
  throw Error(ErrorKind::input, fmt::format("{}: {}: {}; check that it is a file and may be read",
                                            path.string(), what, reason));
}

}  // namespace

InputFile::InputFile(std::filesystem::path path)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), "rb")) {
  if (!file_) fail(path_, "cannot be opened");
  std::setbuf(file_.get(), nullptr);  // the pieces are large: no second copy
}

std::string_view InputFile::read(std::size_t size) {
  buffer_.resize(size);
  const std::size_t got = std::fread(buffer_.data(), 1, size, file_.get());
  if (std::ferror(file_.get()) != 0) fail(path_, "cannot be read");
  return {buffer_.data(), got};
}

void refuse_lfs_pointer(const std::filesystem::path& path, std::string_view beginning) {
  if (!beginning.starts_with("version https://git-lfs.github.com/spec/v1")) return;
  throw Error(ErrorKind::input,
              fmt::format("{}: this is a Git LFS pointer, not the data; run `git lfs pull` in "
                          "the checkout that it came from, then import again",
                          path.string()));
}

}  // namespace profdb
