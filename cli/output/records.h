// One table in three forms: text for people, CSV and JSON for programs, from the same rows.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/output/table.h"

namespace profdb::cli {

// How a cell looks in the text form; CSV and JSON hold the value itself.
enum class Show {
  plain,  // numbers with thousands separators or six digits, lists joined by +, objects as "name value, …"
  percent,  // 0.0455 as 4.55
  ratio,    // three digits after the point
  brief,    // three significant digits
  id,       // a number without separators
};

struct RecordField {
  std::string key;    // of the rows' objects; the column's name in CSV
  std::string title;  // in the text form; empty: the column stands in CSV and JSON only
  Align align = Align::left;
  Show show = Show::plain;
};

class Records {
 public:
  // `rows`: an array of objects. A key that a row lacks, or that is null, is an empty cell.
  Records(std::vector<RecordField> fields, nlohmann::ordered_json rows)
      : fields_(std::move(fields)), rows_(std::move(rows)) {}

  bool empty() const { return rows_.empty(); }
  std::size_t size() const { return rows_.size(); }
  const nlohmann::ordered_json& json() const { return rows_; }
  // A Table's text. Shows the first `most` rows, and says how many are left out.
  std::string text(std::size_t most = SIZE_MAX) const;
  // RFC 4180 with "\n" as the line end: a header, then the rows. Doubles read back as the same double.
  std::string csv() const;

 private:
  std::vector<RecordField> fields_;
  nlohmann::ordered_json rows_;
};

// A named table of a command that prints several.
struct NamedRecords {
  std::string name;
  Records records;
};

// The table `name`; empty: the first. Throws Error(usage) that lists the names.
const Records& choose(const std::vector<NamedRecords>& tables, const std::string& name);

}  // namespace profdb::cli
