// An engine as Python holds it: known to the interpreter's exit, so that no log entry is lost there.
#pragma once

#include <mutex>
#include <set>
#include <string>

#include "profdb/engine.h"

namespace profdb::python {

class OpenEngine : public Engine {
 public:
  OpenEngine(const std::string& database, EngineOptions options) : Engine(database, std::move(options)) {
    const std::scoped_lock lock(mutex());
    all().insert(this);
  }
  ~OpenEngine() {
    const std::scoped_lock lock(mutex());
    all().erase(this);
  }
  OpenEngine(const OpenEngine&) = delete;
  OpenEngine& operator=(const OpenEngine&) = delete;

  // Writes the log entries of all open engines. Never throws: at exit there is nobody to tell.
  static void flush_all() noexcept {
    const std::scoped_lock lock(mutex());
    for (OpenEngine* engine : all()) {
      try {
        engine->flush_log();
      } catch (const std::exception&) {  // its own counters say so
      }
    }
  }

 private:
  static std::mutex& mutex() {
    static std::mutex m;
    return m;
  }
  static std::set<OpenEngine*>& all() {
    static std::set<OpenEngine*> engines;
    return engines;
  }
};

}  // namespace profdb::python
