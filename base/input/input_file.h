// Files from outside: opened and read in pieces, with errors that name the file and the system's reason.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

namespace profdb {

// An open file. Not for several threads at once.
class InputFile {
 public:
  // Throws Error(input) where the file cannot be opened.
  explicit InputFile(std::filesystem::path path);

  // Up to `size` bytes, fewer only at the end of the file, where it is empty. The view holds until the next
  // call. Throws Error(input) where the file cannot be read (a directory, for one).
  std::string_view read(std::size_t size);

  const std::filesystem::path& path() const { return path_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<char> buffer_;
};

// Throws Error(input) where `beginning` is that of a Git-LFS pointer instead of the data (formats §2).
void refuse_lfs_pointer(const std::filesystem::path& path, std::string_view beginning);

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace profdb
