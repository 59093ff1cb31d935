// Drawing the progress bar.
#include "cli/output/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace profdb::cli {
namespace {

constexpr std::chrono::milliseconds kPatience{1000};  // shorter work needs no bar
constexpr std::chrono::milliseconds kRefresh{100};
constexpr std::size_t kBarWidth = 40;

void draw(const std::string& text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

}  // namespace

Progress::Progress(std::string doing)
    : doing_(std::move(doing)), terminal_(isatty(STDERR_FILENO) == 1), next_(Clock::now() + kPatience) {}

Progress::~Progress() {
  if (drawn_) draw("\r\x1b[K");
}

void Progress::update(std::uint64_t done, std::uint64_t total) {
  if (!terminal_ || total == 0 || Clock::now() < next_) return;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBarWidth));
  draw(
      fmt::format("\r{} [{:<{}}] {:3.0f} %\x1b[K", doing_, std::string(filled, '#'), kBarWidth, share * 100));
  drawn_ = true;
  next_ = Clock::now() + kRefresh;
}

}  // namespace profdb::cli
