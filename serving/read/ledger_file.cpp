// Reading and appending ledger lines.
#include "serving/read/ledger_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <map>
#include <system_error>

#include "serving/read/document.h"
#include "serving/read/record_lines.h"

namespace profdb::serving {

std::vector<LedgerEvent> load_ledger(const std::filesystem::path& path) {
  std::vector<LedgerEvent> events;
  std::map<std::string, std::size_t> by_id;
  read_lines(path, [&](std::string_view line, std::int64_t number) {
    const std::string where = fmt::format("{}:{}", path.string(), number);
    const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    if (json.is_discarded())
      throw Error(ErrorKind::input, where + ": is not valid JSON; correct or remove the line");
    try {
      const LedgerEvent event = parse_ledger_event(json);
      const auto [at, is_new] = by_id.emplace(event.event, events.size());
      if (is_new)
        events.push_back(event);
      else
        merge(events[at->second], event);
    } catch (const FieldError& error) {
      throw Error(ErrorKind::input, fmt::format("{}: {}", where, error.what()));
    }
  });
  return events;
}

void append_ledger(const std::filesystem::path& path, const LedgerEvent& event) {
  const std::string line = to_json(event).dump() + "\n";
  std::FILE* file = std::fopen(path.c_str(), "ab");
  const bool written = file != nullptr && std::fwrite(line.data(), 1, line.size(), file) == line.size();
  const int error = errno;
  const bool closed = file == nullptr || std::fclose(file) == 0;
  if (!written || !closed)
    throw Error(ErrorKind::input, fmt::format("{}: cannot be written: {}", path.string(),
                                              std::generic_category().message(error)));
}

}  // namespace profdb::serving
