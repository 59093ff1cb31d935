// Processes with pipes.
#include "tests/support/cli.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>
#include <thread>

namespace profdb::test {
namespace {

struct Pipe {
  int read = -1;
  int write = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  return {ends[0], ends[1]};
}

[[noreturn]] void run_child(char* const* argv, int in, int out, int err) {
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execv(argv[0], argv);
  _exit(127);
}

void close_fd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

std::string contents(std::FILE* file) {
  std::rewind(file);
  std::string text;
  std::array<char, 4096> chunk{};
  std::size_t got = 0;
  while ((got = std::fread(chunk.data(), 1, chunk.size(), file)) > 0) text.append(chunk.data(), got);
  return text;
}

}  // namespace

CliProcess::CliProcess(const std::vector<std::string>& arguments) : err_(std::tmpfile()) {
  if (!err_) throw std::runtime_error("tmpfile failed");
  std::vector<std::string> words = {PROFDB_CLI};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) run_child(argv.data(), in.read, out.write, fileno(err_.get()));
  close_fd(in.read);
  close_fd(out.write);
  in_ = in.write;
  out_ = out.read;
}

CliProcess::~CliProcess() {
  close_fd(in_);
  close_fd(out_);
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void CliProcess::write(const std::string& text) const {
  // A process that has ended is seen in its exit code, not as a signal in the test.
  static const auto previous = std::signal(SIGPIPE, SIG_IGN);
  static_cast<void>(previous);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t put = ::write(in_, text.data() + at, text.size() - at);
    if (put < 0) return;
    at += static_cast<std::size_t>(put);
  }
}

void CliProcess::close_input() {
  close_fd(in_);
}
void CliProcess::close_output() {
  close_fd(out_);
}

bool CliProcess::read_more(std::chrono::milliseconds patience) {
  pollfd waiting{out_, POLLIN, 0};
  if (poll(&waiting, 1, static_cast<int>(patience.count())) <= 0) return false;
  std::array<char, 65536> chunk{};
  const ssize_t got = read(out_, chunk.data(), chunk.size());
  if (got <= 0) return false;
  buffer_.append(chunk.data(), static_cast<std::size_t>(got));
  return true;
}

std::optional<std::string> CliProcess::read_line(std::chrono::seconds patience) {
  std::size_t end = 0;
  while ((end = buffer_.find('\n')) == std::string::npos)
    if (!read_more(patience)) return std::nullopt;
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return line;
}

CliResult CliProcess::finish(const std::string& input) {
  // Written beside the reading: neither side waits for the other with a full pipe.
  std::thread writer([&] {
    write(input);
    close_input();
  });
  while (out_ >= 0 && read_more(std::chrono::minutes(4))) {
  }
  writer.join();
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  CliResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = std::move(buffer_);
  result.err = contents(err_.get());
  return result;
}

CliResult run_cli(const std::vector<std::string>& arguments, const std::string& input) {
  return CliProcess(arguments).finish(input);
}

}  // namespace profdb::test
