// Forks with a pipe for the child's last words.
#include "tests/support/fault_child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <exception>
#include <stdexcept>

namespace profdb::test {
namespace {

// Messages are short: a pipe holds them whole, so that neither side waits.
[[noreturn]] void run_work(const std::function<std::string()>& work, int out) {
  std::string message;
  int code = 0;
  try {
    message = work();
  } catch (const std::exception& e) {
    message = e.what();
    code = 1;
  }
  const ssize_t put = ::write(out, message.data(), message.size());
  _exit(put < 0 ? 2 : code);
}

}  // namespace

Child::Child(const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("pipe failed");
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    close(ends[0]);
    run_work(work, ends[1]);
  }
  close(ends[1]);
  out_ = ends[0];
}

Child::~Child() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(out_);
}

bool Child::running() {
  if (pid_ < 0) return false;
  if (waitpid(pid_, &status_, WNOHANG) == 0) return true;
  pid_ = -1;
  return false;
}

ChildEnd Child::wait() {
  if (pid_ > 0) waitpid(pid_, &status_, 0);
  pid_ = -1;
  ChildEnd end;
  if (WIFEXITED(status_)) end.exit_code = WEXITSTATUS(status_);
  if (WIFSIGNALED(status_)) end.signal = WTERMSIG(status_);
  std::array<char, 4096> chunk{};
  ssize_t got = 0;
  while ((got = read(out_, chunk.data(), chunk.size())) > 0)
    end.message.append(chunk.data(), static_cast<std::size_t>(got));
  return end;
}

}  // namespace profdb::test
