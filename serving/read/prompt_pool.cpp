// Token ids to digests.
#include "serving/read/prompt_pool.h"

#include <fmt/format.h>

#include "serving/read/document.h"

namespace profdb::serving {

namespace {

void read_phase(const nlohmann::json& document, const char* phase, const std::string& name,
                std::vector<Prompt>& prompts, std::vector<std::string>& texts) {
  const auto list = document.find(phase);
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorKind::input,
                fmt::format(R"({}: {}; write {{"warmup": [[1, 2, ...], ...], "measured": [[...], ...]}})",
                            name, what));
  };
  if (list == document.end() || !list->is_array()) fail(fmt::format("'{}' is no list of prompts", phase));
  for (const auto& ids : *list) {
    if (!ids.is_array()) fail(fmt::format("{}[{}] is no list of token ids", phase, prompts.size()));
    for (const auto& id : ids)
      if (!id.is_number_unsigned())
        fail(fmt::format("{}[{}] holds {}, no token id", phase, prompts.size(), id.dump()));
    texts.push_back(ids.dump());
    prompts.push_back({sha256_of(texts.back()), static_cast<std::int64_t>(ids.size())});
  }
}

}  // namespace

PoolFile parse_pool(const std::string& text, const std::string& name) {
  const auto document = nlohmann::json::parse(text, nullptr, false);
  if (!document.is_object())
    throw Error(ErrorKind::input, fmt::format("{}: is no JSON object; write the prompt pools as one", name));
  PoolFile file;
  file.pool.sha256 = sha256_of(text);
  read_phase(document, "warmup", name, file.pool.warmup, file.warmup_ids);
  read_phase(document, "measured", name, file.pool.measured, file.measured_ids);
  return file;
}

}  // namespace profdb::serving
