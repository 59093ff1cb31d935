// Request records as rows.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/store/database.h"
#include "serving/documents/request_record.h"

namespace profdb::serving {

// What a row keeps of a record, and the digest over it: a row that was changed does not have its digest.
struct PackedRecord {
  std::string record;  // JSON without frames
  std::string frames;  // blob
  std::string row_sha256;
};

PackedRecord pack(RequestRecord record);
std::string row_digest(std::string_view record, std::string_view frames);

// The columns that follow from the record are filled in from it.
void insert_request(store::Connection& connection, std::int64_t run_id, std::int64_t artifact_id,
                    std::int64_t line, const RequestRecord& record);

struct RequestRow {
  std::int64_t artifact_id = 0;
  std::int64_t line = 0;
  RequestRecord record;
  std::string row_sha256;  // as stored
  // What in the row does not follow from its record: a digest or a column, each named; empty where all does.
  std::string problem;
};

// Calls `visit` for each request of a run, in the order of its record files; one at a time is in memory.
void for_each_request(store::Connection& connection, std::int64_t run_id,
                      const std::function<void(RequestRow&)>& visit);

}  // namespace profdb::serving
