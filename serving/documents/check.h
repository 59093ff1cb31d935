// A named rule and whether evidence keeps it.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace profdb::serving {

struct Check {
  std::string name;  // "cached_tokens": fixed words, which reports and tests quote
  bool ok = true;
  std::string detail;  // what is wrong, and where; empty where it is kept
};

inline bool all_ok(const std::vector<Check>& checks) {
  return std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.ok; });
}

// "name: detail; name: detail" of those that fail.
inline std::string failures(const std::vector<Check>& checks) {
  std::string text;
  for (const Check& check : checks)
    if (!check.ok) text += (text.empty() ? "" : "; ") + check.name + ": " + check.detail;
  return text;
}

// Collects checks; each is kept unless something is held against it.
class CheckList {
 public:
  // The check without anything against it, so that a report shows that it was made.
  void open(const std::string& name) { checks_.push_back({name, true, ""}); }
  // Holds something against the check opened last. The first few details are kept, the others counted.
  void fail(const std::string& detail) {
    constexpr int kKept = 3;
    Check& check = checks_.back();
    if (check.ok) more_ = 0;
    check.ok = false;
    if (++more_ <= kKept)
      check.detail += (check.detail.empty() ? "" : "; ") + detail;
    else if (more_ == kKept + 1)
      check.detail += "; and more";
  }
  std::vector<Check> take() { return std::move(checks_); }

 private:
  std::vector<Check> checks_;
  int more_ = 0;
};

}  // namespace profdb::serving
