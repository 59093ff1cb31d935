// A progress bar on standard error: only on a terminal, and only where the work is long.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace profdb::cli {

class Progress {
 public:
  explicit Progress(std::string doing);
  ~Progress();  // takes the bar away
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;
  std::string doing_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point next_;  // when to draw again
};

}  // namespace profdb::cli
