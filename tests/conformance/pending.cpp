// Reads the list of pending cases and holds outcomes against it.
#include "tests/conformance/pending.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <sstream>
#include <utility>

namespace profdb::test {
namespace {

using Entry = std::pair<std::string, int>;  // folder, line

std::optional<Entry> entry_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  const std::string digits = text.substr(colon + 1);
  int line = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  if (error != std::errc() || std::to_string(line) != digits) return std::nullopt;
  return Entry{text.substr(0, colon), line};
}

bool exists(const Entry& entry, const std::map<std::string, int>& cases) {
  const auto folder = cases.find(entry.first);
  return folder != cases.end() && entry.second >= 1 && entry.second <= folder->second;
}

}  // namespace

Pending read_pending(const std::string& text, const std::map<std::string, int>& cases) {
  Pending pending;
  std::istringstream in(text);
  std::optional<Entry> last;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.rfind('#', 0) == 0) continue;
    const auto problem = [&](const char* what) {
      pending.problems.push_back(fmt::format("line {}: \"{}\" {}", number, line, what));
    };
    const auto entry = entry_of(line);
    if (!entry) {
      problem("is not folder:line");
      continue;
    }
    if (!exists(*entry, cases)) problem("names no case");
    if (last && *entry == *last) problem("is there twice");
    if (last && *entry < *last) problem("is not in order");
    last = entry;
    pending.lines[entry->first].insert(entry->second);
  }
  return pending;
}

std::vector<std::string> unexpected(const std::string& folder, const std::vector<Outcome>& outcomes,
                                    const std::set<int>& pending) {
  std::vector<std::string> found;
  for (const Outcome& outcome : outcomes) {
    const bool listed = pending.count(outcome.line) != 0;
    if (!outcome.failure.empty() && !listed) {
      found.push_back(fmt::format("{}:{} fails: {}\n{}", folder, outcome.line, outcome.why, outcome.failure));
    }
    if (outcome.failure.empty() && listed) {
      found.push_back(fmt::format("{}:{} answers as known and does not belong into pending.txt: {}", folder,
                                  outcome.line, outcome.why));
    }
  }
  return found;
}

}  // namespace profdb::test
