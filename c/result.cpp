// The C interface of results: plain accessors, and the whole as JSON.
#include "c/guard.h"

namespace {

using namespace profdb::c;

const char* text(const profdb_result* result, std::string profdb::Result::*field) {
  return result == nullptr ? "" : ((*result->result).*field).c_str();
}

}  // namespace

void profdb_result_free(profdb_result* result) {
  delete result;
}

profdb_source profdb_result_source(const profdb_result* result) {
  if (result == nullptr) return PROFDB_MISS;
  switch (result->result->source) {
    case profdb::Source::measured:
      return PROFDB_MEASURED;
    case profdb::Source::interpolated:
      return PROFDB_INTERPOLATED;
    case profdb::Source::compatible:
      return PROFDB_COMPATIBLE;
    case profdb::Source::miss:
      break;
  }
  return PROFDB_MISS;
}

const char* profdb_source_name(profdb_source source) {
  switch (source) {
    case PROFDB_MEASURED:
      return profdb::to_string(profdb::Source::measured);
    case PROFDB_INTERPOLATED:
      return profdb::to_string(profdb::Source::interpolated);
    case PROFDB_COMPATIBLE:
      return profdb::to_string(profdb::Source::compatible);
    case PROFDB_MISS:
      break;
  }
  return profdb::to_string(profdb::Source::miss);
}

double profdb_result_latency_us(const profdb_result* result) {
  return result == nullptr || !result->result->hit() ? 0 : result->result->latency_us;
}
double profdb_result_confidence(const profdb_result* result) {
  return result == nullptr || !result->result->hit() ? 0 : result->result->confidence;
}
const char* profdb_result_reason(const profdb_result* result) {
  return text(result, &profdb::Result::reason);
}
const char* profdb_result_kernel(const profdb_result* result) {
  return text(result, &profdb::Result::kernel);
}
const char* profdb_result_path(const profdb_result* result) {
  return text(result, &profdb::Result::path);
}
const char* profdb_result_method(const profdb_result* result) {
  return text(result, &profdb::Result::method);
}
const char* profdb_result_match_rule(const profdb_result* result) {
  return text(result, &profdb::Result::match_rule);
}
int profdb_result_dim(const profdb_result* result) {
  return result == nullptr ? 0 : result->result->dim;
}
size_t profdb_result_axis_count(const profdb_result* result) {
  return result == nullptr ? 0 : result->result->axes.size();
}
const char* profdb_result_axis(const profdb_result* result, size_t index) {
  return index < profdb_result_axis_count(result) ? result->result->axes[index].c_str() : "";
}
int64_t profdb_result_release(const profdb_result* result) {
  return result == nullptr ? 0 : result->result->release;
}

profdb_status profdb_result_json(const profdb_result* result, char** json, char** error) {
  return hand_out(json, "json", error,
                  [&] { return copy_text(profdb::to_json(*required(result, "result").result).dump()); });
}

profdb_status profdb_result_details_json(const profdb_result* result, char** json, char** error) {
  return hand_out(json, "json", error, [&] {
    return copy_text(profdb::to_json(*required(result, "result").result).at("details").dump());
  });
}
