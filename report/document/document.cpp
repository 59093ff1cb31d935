// The report's structs as JSON. Members that are empty are left out.
#include "report/document/document.h"

namespace profdb::report {
namespace {

void put(Json& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

Json to_json(const Tags& tags) {
  Json object = Json::object();
  for (const auto& [key, value] : tags) object[key] = value;
  return object;
}

Json to_json(const Axis& axis) {
  Json object{{"title", axis.title}};
  put(object, "unit", axis.unit);
  if (axis.log) object["log"] = true;
  return object;
}

Json chart(const char* type, const ChartHead& head) {
  Json object{{"type", type}, {"title", head.title}};
  put(object, "note", head.note);
  put(object, "badge", head.badge);
  if (!head.tags.empty()) object["tags"] = to_json(head.tags);
  return object;
}

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::text:
      return "text";
    case Kind::code:
      return "code";
    case Kind::integer:
      return "integer";
    case Kind::number:
      return "number";
  }
  return "text";
}

Json to_json(const Column& column) {
  Json object{{"key", column.key}, {"title", column.title}, {"kind", to_string(column.kind)}};
  put(object, "unit", column.unit);
  return object;
}

Json to_json(const Table& table) {
  Json object{{"caption", table.caption}};
  put(object, "note", table.note);
  put(object, "badge", table.badge);
  Json columns = Json::array();
  for (const Column& column : table.columns) columns.push_back(to_json(column));
  object["columns"] = std::move(columns);
  object["rows"] = table.rows;
  return object;
}

Json to_json(const Fact& fact) {
  Json object{{"name", fact.name}, {"value", fact.value}};
  put(object, "unit", fact.unit);
  return object;
}

Json to_json(const Section& section) {
  Json object{{"heading", section.heading}};
  if (!section.text.empty()) object["text"] = section.text;
  if (!section.list.empty()) object["list"] = section.list;
  if (section.tiles) object["tiles"] = true;
  for (const Fact& fact : section.facts) object["facts"].push_back(to_json(fact));
  if (!section.charts.empty()) object["charts"] = section.charts;
  for (const Table& table : section.tables) object["tables"].push_back(to_json(table));
  return object;
}

}  // namespace

Json to_json(const DensityMap& map) {
  Json object = chart("density_map", map.head);
  for (const Axis& axis : map.axes) object["axes"].push_back(to_json(axis));
  object["value"] = to_json(map.value);
  object["points"] = map.points;
  return object;
}

Json to_json(const LatencyCurve& curve) {
  Json object = chart("latency_curve", curve.head);
  object["x"] = to_json(curve.x);
  object["y"] = to_json(curve.y);
  object["series"] = Json::array();
  for (const auto& series : curve.series)
    object["series"].push_back({{"label", series.label}, {"points", series.points}, {"line", series.line}});
  return object;
}

Json to_json(const ErrorDistribution& distribution) {
  Json object = chart("error_distribution", distribution.head);
  object["x"] = to_json(distribution.x);
  object["edges"] = distribution.edges;
  object["groups"] = Json::array();
  for (const auto& group : distribution.groups)
    object["groups"].push_back({{"tags", to_json(group.tags)}, {"counts", group.counts}});
  return object;
}

Json to_json(const Bars& bars) {
  Json object = chart("bars", bars.head);
  object["value"] = to_json(bars.value);
  object["bars"] = Json::array();
  for (const auto& bar : bars.bars) {
    Json one{{"label", bar.label}, {"value", bar.value}};
    if (!bar.tags.empty()) one["tags"] = to_json(bar.tags);
    put(one, "tone", bar.tone);
    object["bars"].push_back(std::move(one));
  }
  return object;
}

Json to_json(const Scatter& scatter) {
  Json object = chart("scatter", scatter.head);
  object["x"] = to_json(scatter.x);
  object["y"] = to_json(scatter.y);
  object["series"] = Json::array();
  for (const auto& series : scatter.series)
    object["series"].push_back({{"label", series.label}, {"points", series.points}});
  for (const auto& line : scatter.lines)
    object["lines"].push_back({{"label", line.label}, {"points", line.points}});
  return object;
}

Json to_json(const Document& document) {
  Json object{{"format", kFormat}, {"version", kDocumentVersion}, {"title", document.title}};
  put(object, "subtitle", document.subtitle);
  for (const Notice& notice : document.notices)
    object["notices"].push_back({{"kind", notice.kind}, {"text", notice.text}});
  for (const Filter& filter : document.filters)
    object["filters"].push_back({{"key", filter.key}, {"title", filter.title}});
  object["sections"] = Json::array();
  for (const Section& section : document.sections) object["sections"].push_back(to_json(section));
  return object;
}

}  // namespace profdb::report
