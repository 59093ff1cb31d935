// JSON to token ids.
#include "client/prompt_file.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "profdb/error.h"

namespace profdb::serving {
namespace {

using Json = nlohmann::json;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw Error(ErrorKind::input,
              fmt::format(R"({}: {}; write {{"warmup": [[1, 2, ...], ...], "measured": [[...], ...]}} with )"
                          "token ids",
                          path.string(), what));
}

std::vector<Prompt> read_pool(const std::filesystem::path& path, const Json& document, const char* name) {
  const auto list = document.find(name);
  if (list == document.end() || !list->is_array())
    fail(path, fmt::format("'{}' is no list of prompts", name));
  std::vector<Prompt> pool;
  for (const Json& ids : *list) {
    if (!ids.is_array()) fail(path, fmt::format("{}[{}] is no list of token ids", name, pool.size()));
    Prompt& prompt = pool.emplace_back();
    prompt.reserve(ids.size());
    for (const Json& id : ids) {
      if (!id.is_number_unsigned() || id.get<std::uint64_t>() > INT64_MAX)
        fail(path, fmt::format("{}[{}][{}] is no token id", name, pool.size() - 1, prompt.size()));
      prompt.push_back(id.get<std::int64_t>());
    }
  }
  return pool;
}

}  // namespace

PromptPools read_prompt_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const Json document = Json::parse(file, nullptr, false);
  if (!file.is_open() || file.bad()) fail(path, "cannot be read");
  if (!document.is_object()) fail(path, "is no JSON object");
  return {read_pool(path, document, "warmup"), read_pool(path, document, "measured")};
}

}  // namespace profdb::serving
