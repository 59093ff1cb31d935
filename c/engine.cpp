// The C interface of the engine: opening, counters, lookups.
#include <algorithm>

#include "c/guard.h"

namespace {

using namespace profdb::c;
using nlohmann::ordered_json;
using profdb::Error;
using profdb::ErrorKind;

// Copies the part of `value` that the caller's struct of `size` bytes has.
template <typename T>
void copy_known(T* to, size_t size, const T& value) {
  std::memcpy(to, &value, std::min(size, sizeof(T)));
}

// The caller's options, with the defaults where its struct ends early.
profdb_options known_options(const profdb_options* given) {
  profdb_options options;
  profdb_options_init(&options, sizeof options);
  if (given == nullptr) return options;
  if (given->size < sizeof given->size)
    throw Error(ErrorKind::usage, "options.size is not set; call profdb_options_init first");
  std::memcpy(&options, given, std::min(given->size, sizeof options));
  return options;
}

profdb::PaddedMatch padded_match(profdb_padded_match value) {
  switch (value) {
    case PROFDB_PADDED_LAST:
      return profdb::PaddedMatch::last;
    case PROFDB_PADDED_BEFORE:
      return profdb::PaddedMatch::before;
    case PROFDB_PADDED_OFF:
      return profdb::PaddedMatch::off;
  }
  throw Error(ErrorKind::usage, "options.padded_match is no profdb_padded_match");
}

profdb::LogMode log_mode(profdb_log value) {
  switch (value) {
    case PROFDB_LOG_OFF:
      return profdb::LogMode::off;
    case PROFDB_LOG_MISSES:
      return profdb::LogMode::misses;
    case PROFDB_LOG_ALL:
      return profdb::LogMode::all;
  }
  throw Error(ErrorKind::usage, "options.log is no profdb_log");
}

profdb::EngineOptions engine_options(const profdb_options* given) {
  const profdb_options known = known_options(given);
  profdb::EngineOptions options;
  options.release = text_or_empty(known.release);
  if (known.ep_size != 0) options.ep_size = known.ep_size;
  if (known.tp_size != 0) options.tp_size = known.tp_size;
  options.interpolation = known.interpolation != 0;
  options.padded_match = padded_match(known.padded_match);
  options.log = log_mode(known.log);
  options.log_db = text_or_empty(known.log_db);
  options.cache_bytes = known.cache_bytes;
  options.snapshot_ms = known.snapshot_ms;
  options.cache_results = known.cache_results != 0;
  return options;
}

ordered_json release_json(const profdb::ReleaseInfo& release) {
  return {{"release_id", release.release_id},        {"device", release.device},
          {"framework", release.framework},          {"framework_version", release.framework_version},
          {"torch_version", release.torch_version},  {"cann_version", release.cann_version},
          {"imported_at", release.imported_at},      {"content_digest", release.content_digest},
          {"synthetic", release.synthetic},          {"file_count", release.file_count},
          {"row_count", release.row_count},          {"taken_rows", release.taken_rows},
          {"unusable_rows", release.unusable_rows},  {"rejected_rows", release.rejected_rows},
          {"operator_count", release.operator_count}};
}

profdb_cache_stats cache_stats(const profdb::CacheStats& stats) {
  return {stats.hits, stats.misses, stats.evictions, stats.entries, stats.bytes};
}

std::vector<std::string> names(const char* const* ops, size_t count) {
  std::vector<std::string> list;
  if (count > 0) required(ops, "ops");
  for (size_t i = 0; i < count; ++i) list.push_back(text_of(ops[i], "an operator of ops"));
  return list;
}

}  // namespace

void profdb_free(char* text) {
  std::free(text);
}

const char* profdb_version() {
  return profdb::version();
}
int profdb_abi_version() {
  return PROFDB_ABI_VERSION;
}

void profdb_options_init(profdb_options* options, size_t size) {
  if (options == nullptr) return;
  const profdb::EngineOptions defaults;
  profdb_options known{};
  known.size = size;
  known.interpolation = defaults.interpolation ? 1 : 0;
  known.padded_match = PROFDB_PADDED_LAST;
  known.log = PROFDB_LOG_OFF;
  known.cache_bytes = defaults.cache_bytes;
  known.snapshot_ms = defaults.snapshot_ms;
  known.cache_results = defaults.cache_results ? 1 : 0;
  copy_known(options, size, known);
}

profdb_status profdb_engine_open(const char* database, const profdb_options* options, profdb_engine** engine,
                                 char** error) {
  return hand_out(engine, "engine", error, [&] {
    return new profdb_engine{profdb::Engine(text_of(database, "database"), engine_options(options))};
  });
}

void profdb_engine_free(profdb_engine* engine) {
  delete engine;
}

profdb_status profdb_engine_release_json(const profdb_engine* engine, char** json, char** error) {
  return hand_out(json, "json", error, [&] {
    return copy_text(release_json(required(engine, "engine").engine.release()).dump());
  });
}

profdb_status profdb_list_releases_json(const char* database, char** json, char** error) {
  return hand_out(json, "json", error, [&] {
    ordered_json list = ordered_json::array();
    for (const auto& release : profdb::list_releases(text_of(database, "database")))
      list.push_back(release_json(release));
    return copy_text(list.dump());
  });
}

profdb_status profdb_engine_flush_log(profdb_engine* engine, char** error) {
  return guard(error, [&] { required(engine, "engine").engine.flush_log(); });
}

profdb_status profdb_engine_stats(const profdb_engine* engine, profdb_stats* stats, size_t size,
                                  char** error) {
  return guard(error, [&] {
    const profdb::Engine& opened = required(engine, "engine").engine;
    const profdb::EngineStats counters = opened.stats();
    const profdb::LogStats log = opened.log_stats();
    copy_known(&required(stats, "stats"), size,
               profdb_stats{cache_stats(counters.results), cache_stats(counters.regimes),
                            cache_stats(counters.candidates), cache_stats(counters.triangulations),
                            counters.cache_budget, counters.invalidations, counters.snapshots, log.logged,
                            log.dropped});
  });
}

profdb_status profdb_engine_warm(profdb_engine* engine, const char* const* ops, size_t count,
                                 profdb_warm_report* report, size_t size, char** error) {
  return guard(error, [&] {
    const profdb::WarmReport warmed = required(engine, "engine").engine.warm({}, names(ops, count));
    const profdb_warm_report known{warmed.operators, warmed.regimes, warmed.candidates,
                                   warmed.triangulations};
    if (report != nullptr) copy_known(report, size, known);
  });
}

profdb_status profdb_lookup(const profdb_engine* engine, const profdb_prepared* prepared,
                            profdb_result** result, char** error) {
  return hand_out(result, "result", error, [&] {
    return new profdb_result{required(engine, "engine").engine.lookup(required(prepared, "prepared").leaf)};
  });
}

profdb_status profdb_lookup_leaf(const profdb_engine* engine, const profdb_leaf* leaf, profdb_result** result,
                                 char** error) {
  return hand_out(result, "result", error, [&] {
    return new profdb_result{required(engine, "engine").engine.lookup(required(leaf, "leaf").leaf)};
  });
}

profdb_status profdb_lookup_json(const profdb_engine* engine, const char* json, size_t length,
                                 profdb_result** result, char** error) {
  return hand_out(result, "result", error, [&] {
    const profdb::Engine& opened = required(engine, "engine").engine;
    return new profdb_result{opened.lookup(profdb::parse_leaf_op(json_of(json, length)))};
  });
}
