// Runs the command line as a user would: a process of its own, with its output and exit code.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace profdb::test {

struct CliResult {
  int exit_code = -1;  // 128 + the signal where one ended it
  std::string out;
  std::string err;
};

// A running profdb. Standard input and output are pipes, so that a test can talk with it.
class CliProcess {
 public:
  explicit CliProcess(const std::vector<std::string>& arguments);
  ~CliProcess();  // ends the process where it still runs
  CliProcess(const CliProcess&) = delete;
  CliProcess& operator=(const CliProcess&) = delete;

  void write(const std::string& text) const;
  void close_input();
  void close_output();
  // The next line without its end; nothing where none comes within the time, or the output has ended.
  std::optional<std::string> read_line(std::chrono::seconds patience = std::chrono::seconds(60));
  // Writes `input`, closes the input, reads what is left and waits for the end.
  CliResult finish(const std::string& input = "");

 private:
  bool read_more(std::chrono::milliseconds patience);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> err_;
  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::string buffer_;
};

// Runs to the end, with `input` on standard input.
CliResult run_cli(const std::vector<std::string>& arguments, const std::string& input = "");

}  // namespace profdb::test
