// Work in a child process, so that it can be killed, lose its rights or be measured without harm to the test.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace profdb::test {

struct ChildEnd {
  int exit_code = -1;   // 0 done, 1 the work threw; -1 where a signal ended it
  int signal = 0;       // the signal that ended it, or 0
  std::string message;  // what the work returned, or what it threw
};

// A fork of this process that runs `work` and ends. Start it while no other thread runs.
class Child {
 public:
  explicit Child(const std::function<std::string()>& work);
  ~Child();  // kills it where it still runs
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool running();  // without waiting
  ChildEnd wait();

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  int status_ = 0;
};

inline ChildEnd run_in_child(const std::function<std::string()>& work) {
  return Child(work).wait();
}

}  // namespace profdb::test
