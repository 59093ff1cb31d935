// Packing and unpacking.
#include "serving/archive/request_rows.h"

#include <fmt/format.h>

#include "serving/read/document.h"
#include "serving/read/frames_codec.h"
#include "serving/rules/numbers.h"

namespace profdb::serving {

using store::Connection;
using store::Rows;

namespace {

void bind_optional(SQLite::Statement& statement, const char* name, const std::optional<std::int64_t>& value) {
  if (value) statement.bind(name, *value);
}

std::optional<std::int64_t> optional_integer(const Rows& rows, int column) {
  if (rows[column].isNull()) return std::nullopt;
  return rows.integer(column);
}

std::optional<double> optional_real(const Rows& rows, int column) {
  if (rows[column].isNull()) return std::nullopt;
  return rows.real(column);
}

constexpr const char* kSelect = R"(
SELECT artifact_id, line, record, frames, row_sha256, level, phase, attempt, slot, status, http_status, clock_id,
       start_utc, start_ns, first_ns, end_ns, prompt_tokens, output_tokens, cached_tokens, ttft_ms, e2e_ms, tpot_ms
FROM serving_request
WHERE run_id = :run
ORDER BY artifact_id, line)";

// The names of the columns that say something else than the record.
std::string differing_columns(const Rows& rows, const RequestRecord& record) {
  std::string names;
  const auto compare = [&names](const char* name, bool equal) {
    if (!equal) names += (names.empty() ? "" : ", ") + std::string(name);
  };
  const auto numbers = numbers_of(record);
  const auto number = [&numbers](double RequestNumbers::*member) {
    return numbers ? std::optional((*numbers).*member) : std::nullopt;
  };
  compare("level", rows.integer(5) == record.level);
  compare("phase", rows.text(6) == to_string(record.phase));
  compare("attempt", rows.integer(7) == record.attempt);
  compare("slot", rows.integer(8) == record.slot);
  compare("status", rows.text(9) == to_string(record.status));
  compare("http_status", rows.integer(10) == record.http_status);
  compare("clock_id", rows.text(11) == record.clock_id);
  compare("start_utc", rows.text(12) == record.start_utc);
  compare("start_ns", rows.integer(13) == record.start_ns);
  compare("first_ns", optional_integer(rows, 14) == first_token_ns(record));
  compare("end_ns", rows.integer(15) == record.end_ns);
  compare("prompt_tokens", rows.integer(16) == record.prompt_tokens);
  compare("output_tokens", rows.integer(17) == record.output_tokens());
  compare("cached_tokens", optional_integer(rows, 18) == record.cached_tokens);
  compare("ttft_ms", optional_real(rows, 19) == number(&RequestNumbers::ttft_ms));
  compare("e2e_ms", optional_real(rows, 20) == number(&RequestNumbers::e2e_ms));
  compare("tpot_ms", optional_real(rows, 21) == number(&RequestNumbers::tpot_ms));
  return names;
}

}  // namespace

std::string row_digest(std::string_view record, std::string_view frames) {
  // The length keeps the two apart.
  return sha256_of(fmt::format("{}\n{}{}", record.size(), record, frames));
}

PackedRecord pack(RequestRecord record) {
  PackedRecord packed;
  packed.frames = encode_frames(record.frames, record.start_ns);
  record.frames.clear();
  packed.record = to_json(record).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  packed.row_sha256 = row_digest(packed.record, packed.frames);
  return packed;
}

void insert_request(Connection& connection, std::int64_t run_id, std::int64_t artifact_id, std::int64_t line,
                    const RequestRecord& record) {
  const PackedRecord packed = pack(record);
  auto& insert = connection.statement(
      "INSERT INTO serving_request (run_id, artifact_id, line, level, phase, attempt, slot, status, "
      "http_status,\n"
      "  clock_id, start_utc, start_ns, first_ns, end_ns, prompt_tokens, output_tokens, cached_tokens, "
      "ttft_ms, e2e_ms,\n"
      "  tpot_ms, record, frames, row_sha256)\n"
      "VALUES (:run, :artifact, :line, :level, :phase, :attempt, :slot, :status, :http_status, :clock, "
      ":start_utc,\n"
      "  :start, :first, :end, :prompt_tokens, :output_tokens, :cached, :ttft, :e2e, :tpot, :record, "
      ":frames, :sha256)");
  insert.bind(":run", run_id);
  insert.bind(":artifact", artifact_id);
  insert.bind(":line", line);
  insert.bind(":level", record.level);
  insert.bind(":phase", to_string(record.phase));
  insert.bind(":attempt", record.attempt);
  insert.bind(":slot", record.slot);
  insert.bind(":status", to_string(record.status));
  insert.bind(":http_status", record.http_status);
  insert.bind(":clock", record.clock_id);
  insert.bind(":start_utc", record.start_utc);
  insert.bind(":start", record.start_ns);
  bind_optional(insert, ":first", first_token_ns(record));
  insert.bind(":end", record.end_ns);
  insert.bind(":prompt_tokens", record.prompt_tokens);
  insert.bind(":output_tokens", record.output_tokens());
  bind_optional(insert, ":cached", record.cached_tokens);
  if (const auto numbers = numbers_of(record)) {
    insert.bind(":ttft", numbers->ttft_ms);
    insert.bind(":e2e", numbers->e2e_ms);
    insert.bind(":tpot", numbers->tpot_ms);
  }
  insert.bind(":record", packed.record);
  insert.bind(":frames", packed.frames.data(), static_cast<int>(packed.frames.size()));
  insert.bind(":sha256", packed.row_sha256);
  insert.exec();
}

void for_each_request(Connection& connection, std::int64_t run_id,
                      const std::function<void(RequestRow&)>& visit) {
  auto& select = connection.statement(kSelect);
  select.bind(":run", run_id);
  RequestRecordParser parser;
  Rows rows(select);
  while (rows.next()) {
    RequestRow row;
    row.artifact_id = rows.integer(0);
    row.line = rows.integer(1);
    row.row_sha256 = rows.text(4);
    const std::string text = rows.text(2);
    const std::string frames = rows[3].getString();
    try {
      row.record = parser.parse(text);
      row.record.frames = decode_frames(frames, row.record.start_ns);
    } catch (const Error& error) {
      row.problem = error.what();
      visit(row);
      continue;
    }
    if (row_digest(text, frames) != row.row_sha256)
      row.problem = "its record or frames do not have their digest";
    if (const std::string names = differing_columns(rows, row.record); !names.empty())
      row.problem += fmt::format("{}the columns {} do not follow from its record",
                                 row.problem.empty() ? "" : "; ", names);
    visit(row);
  }
}

}  // namespace profdb::serving
