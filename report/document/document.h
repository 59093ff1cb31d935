// What a report is, before it looks like anything: a title, notices, and sections of text, facts, tables and
// charts. One JSON document holds it all; the HTML, Markdown and JSON forms (render.h) are made from that
// document alone, so that they cannot disagree.
//
// A program that has something to report fills these structs, or writes the JSON itself (in any language) and
// lets check() (check.h) look at it. Keys of the JSON are the members' names; empty ones are left out:
//
//   {"format": "profdb-report", "version": 1, "title": …, "notices": [{"kind", "text"}],
//    "filters": [{"key", "title"}],
//    "sections": [{"heading", "text": […], "list": […], "facts": [{"name", "value", "unit"}],
//                  "charts": [{"type", …}], "tables": [{"caption", "columns", "rows", …}]}]}
//
// Text is plain; `words between backticks` show as code. Numbers are JSON numbers, never text, and every
// number has a unit beside it (in a column, a fact, an axis) unless it counts something.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace profdb::report {

using Json = nlohmann::ordered_json;

inline constexpr const char* kFormat = "profdb-report";
inline constexpr int kDocumentVersion = 1;

// What must be seen before anything else. kind: "synthetic" (the data is made up), "warning" or "note".
struct Notice {
  std::string kind;
  std::string text;
};

// A choice that the reader has on the page. It applies to every chart, group and bar that has a tag of this
// key, and to every table that has a column of this key; what has neither always shows.
struct Filter {
  std::string key;
  std::string title;
};

// A name and its value: text, a whole number or a number.
struct Fact {
  std::string name;
  Json value;
  std::string unit = {};  // e.g. "us", "%"; empty for text and counts
};

enum class Kind {
  text,
  code,     // digests, paths, shapes: fixed width
  integer,  // counts and coordinates
  number,
};

struct Column {
  std::string key;  // of the JSON and of filters; unique in the table
  std::string title;
  Kind kind = Kind::text;
  std::string unit = {};
};

struct Table {
  std::string caption;
  std::vector<Column> columns;
  std::vector<Json> rows = {};  // each an array along `columns`; null where there is no value
  std::string note = {};        // e.g. what was left out
  std::string badge = {};       // e.g. "synthetic"
};

// By which filters a chart, or a part of one, is chosen: key and value.
using Tags = std::vector<std::pair<std::string, std::string>>;

// What every chart has.
struct ChartHead {
  std::string title;
  std::string note = {};
  std::string badge = {};
  Tags tags = {};
};

// One axis of a chart. Where `log`, the page starts with a logarithmic scale; the reader can switch.
struct Axis {
  std::string title;
  std::string unit = {};  // "us", "%", "B" (bytes, shown as KiB and MiB); empty for counts and coordinates
  bool log = false;
};

// Where there are points in a space of two axes or more. The page shows two axes at a time, chosen by the
// reader, all points or those of one value of the other axes, their convex hull (in linear coordinates), and
// `value` as the colour.
struct DensityMap {
  ChartHead head;
  std::vector<Axis> axes;  // at least two
  Axis value;
  std::vector<Json> points = {};  // [coordinate along axes…, value, count]
};

// Measured points along one axis, and the line that answers between them.
struct LatencyCurve {
  struct Series {
    std::string label;              // what is equal along the line, e.g. "K=4096 N=1024"
    std::vector<Json> points = {};  // [x, y, count], rising in x
    std::vector<Json> line = {};    // [x, y], linear between neighbours; empty where nothing interpolates
  };
  ChartHead head;
  Axis x;
  Axis y;
  std::vector<Series> series = {};
};

// A histogram that the filters can narrow: counts of groups over common bins.
struct ErrorDistribution {
  struct Group {
    Tags tags;
    std::vector<std::int64_t> counts;  // edges.size() + 1: below the first edge, the bins, from the last on
  };
  ChartHead head;
  Axis x;
  std::vector<double> edges;  // rising; bin i is [edges[i], edges[i + 1])
  std::vector<Group> groups = {};
};

// Amounts by name. Bars of one label are added up, those that the filters exclude left out.
struct Bars {
  struct Bar {
    std::string label;
    double value = 0;
    Tags tags = {};
    std::string tone = {};  // "good", "fair", "bad" or empty: how a reader should take it
  };
  ChartHead head;
  Axis value;
  std::vector<Bar> bars = {};
};

// Points of several series, and lines to compare them with.
struct Scatter {
  struct Series {
    std::string label;
    std::vector<Json> points = {};  // [x, y] or [x, y, label]
  };
  struct Line {
    std::string label;
    std::vector<Json> points = {};  // [x, y]
  };
  ChartHead head;
  Axis x;
  Axis y;
  std::vector<Series> series = {};
  std::vector<Line> lines = {};
};

struct Section {
  std::string heading;
  std::vector<std::string> text = {};  // paragraphs
  std::vector<std::string> list = {};  // points, after the text
  std::vector<Fact> facts = {};
  bool tiles = false;             // the facts are the headline figures
  std::vector<Json> charts = {};  // to_json() of the above
  std::vector<Table> tables = {};
};

struct Document {
  std::string title;
  std::string subtitle = {};
  std::vector<Notice> notices = {};
  std::vector<Filter> filters = {};
  std::vector<Section> sections = {};
};

Json to_json(const DensityMap& chart);
Json to_json(const LatencyCurve& chart);
Json to_json(const ErrorDistribution& chart);
Json to_json(const Bars& chart);
Json to_json(const Scatter& chart);
Json to_json(const Document& document);

}  // namespace profdb::report
