// Replacing a dimension in a measured row, and checking with the path what came of it.
#include "analysis/shape_by_example.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/paths/registry.h"
#include "engine/store/candidates.h"

namespace profdb::analysis {
namespace {

using nlohmann::ordered_json;

constexpr const char* kRegime = R"(
SELECT r.fields, k.name, p.tc_input_count, p.axis_policy
FROM regime AS r
JOIN projection AS p USING (projection_id)
JOIN kernel AS k USING (kernel_id)
WHERE r.path = :path
AND r.regime_id = :regime)";

constexpr const char* kExamples = R"(
SELECT c.value, m.input_shapes, m.input_dtypes, m.input_formats, m.output_shapes, m.output_dtypes, m.output_formats
FROM candidate_coordinate AS c
JOIN measurement_row AS m USING (measurement_id)
WHERE c.path = :path
AND c.regime_id = :regime
AND c.axis = :axis
AND c.others = :others
ORDER BY c.value DESC, c.measurement_id
LIMIT 8)";

// The slots of one direction from their three JSON columns.
std::vector<TensorSlot> slots(const std::string& shapes, const std::string& dtypes,
                              const std::string& formats) {
  const auto all_shapes = ordered_json::parse(shapes);
  const auto all_dtypes = ordered_json::parse(dtypes);
  const auto all_formats = ordered_json::parse(formats);
  std::vector<TensorSlot> slots;
  for (std::size_t i = 0; i < all_shapes.size(); ++i) {
    TensorSlot slot;
    slot.present = !all_shapes[i].is_null();
    if (slot.present) slot.shape = all_shapes[i].get<Shape>();
    slot.dtype = all_dtypes.at(i).get<std::string>();
    slot.format = all_formats.at(i).get<std::string>();
    slots.push_back(std::move(slot));
  }
  return slots;
}

void replace(std::vector<TensorSlot>& slots, std::int64_t from, std::int64_t to) {
  for (TensorSlot& slot : slots) std::replace(slot.shape.begin(), slot.shape.end(), from, to);
}

// The lists as a profiling CSV has them: slots joined by ";", a scalar as "()", an absent slot empty.
std::string shapes_text(const std::vector<TensorSlot>& slots) {
  std::string text;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (i > 0) text += ';';
    if (slots[i].present) text += slots[i].shape.empty() ? "()" : profdb::to_string(slots[i].shape);
  }
  return text;
}

std::string joined(const std::vector<TensorSlot>& slots, std::string TensorSlot::*member) {
  std::string text;
  for (std::size_t i = 0; i < slots.size(); ++i) text += (i == 0 ? "" : ";") + slots[i].*member;
  return text;
}

}  // namespace

struct ShapeByExample::Examples {
  struct Example {
    std::int64_t value = 0;  // on the axis
    Row row;
  };

  const Path* path = nullptr;
  ProjectionKey key;
  ordered_json regime;
  std::size_t axis = 0;
  std::vector<Example> rows;

  // The row with `value` on the axis; nothing where the replacement changes anything else.
  std::optional<Row> with(const Example& example, std::int64_t value) const {
    const auto before = path->project(example.row, key);
    Row row = example.row;
    replace(row.inputs, example.value, value);
    replace(row.outputs, example.value, value);
    const auto after = path->project(row, key);
    const auto* from = std::get_if<Candidate>(&before);
    const auto* to = std::get_if<Candidate>(&after);
    if (from == nullptr || to == nullptr || from->regime != to->regime) return std::nullopt;
    auto wanted = from->coordinate;
    wanted[axis] = value;
    if (to->coordinate != wanted) return std::nullopt;
    return row;
  }
};

std::string coordinate_text(const std::string& path, const std::string& axis, std::int64_t value,
                            const std::string& others) {
  std::string text;
  std::size_t at = 0;
  for (const std::string_view name : find_path(path)->spec().axes) {
    if (!text.empty()) text += ',';
    if (name == axis) {
      text += fmt::format("{}={}", name, value);
      continue;
    }
    const std::size_t end = std::min(others.find(',', at), others.size());
    text += others.substr(at, end - at);
    at = std::min(end + 1, others.size());
  }
  return text;
}

ShapeByExample::ShapeByExample(store::Connection& connection) : connection_(connection) {}
ShapeByExample::~ShapeByExample() = default;

ShapeByExample::Examples& ShapeByExample::examples(const Line& line) {
  auto& known = known_[line];
  if (known) return *known;
  known = std::make_unique<Examples>();
  known->path = find_path(line.path);
  const auto& axes = known->path->spec().axes;
  known->axis = static_cast<std::size_t>(std::find(axes.begin(), axes.end(), line.axis) - axes.begin());
  {
    SQLite::Statement& statement = connection_.statement(kRegime);
    statement.bind(":path", line.path);
    statement.bind(":regime", line.regime_id);
    store::Rows rows(statement);
    if (rows.next()) {
      known->regime = ordered_json::parse(rows.text(0));
      known->key = {line.path, rows.text(1), rows.integer(2), rows.text(3)};
    }
  }
  SQLite::Statement& statement = connection_.statement(kExamples);
  statement.bind(":path", line.path);
  statement.bind(":regime", line.regime_id);
  statement.bind(":axis", line.axis);
  statement.bind(":others", line.others);
  store::Rows rows(statement);
  while (rows.next()) {
    Examples::Example& example = known->rows.emplace_back();
    example.value = rows.integer(0);
    example.row.inputs = slots(rows.text(1), rows.text(2), rows.text(3));
    example.row.outputs = slots(rows.text(4), rows.text(5), rows.text(6));
  }
  return *known;
}

MissingShape ShapeByExample::at(const Line& line, std::int64_t value) {
  const Examples& known = examples(line);
  MissingShape shape;
  shape.path = line.path;
  shape.regime_id = line.regime_id;
  shape.regime = known.regime;
  for (const Examples::Example& example : known.rows) {
    const auto row = known.with(example, value);
    if (!row) continue;
    shape.input_shapes = shapes_text(row->inputs);
    shape.input_dtypes = joined(row->inputs, &TensorSlot::dtype);
    shape.input_formats = joined(row->inputs, &TensorSlot::format);
    shape.output_shapes = shapes_text(row->outputs);
    shape.output_dtypes = joined(row->outputs, &TensorSlot::dtype);
    shape.output_formats = joined(row->outputs, &TensorSlot::format);
    break;
  }
  return shape;
}

}  // namespace profdb::analysis
