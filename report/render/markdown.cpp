// The Markdown form. Charts become what they show: bars and histograms a table, maps and curves a sentence.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "report/render/escape.h"
#include "report/render/render.h"

namespace profdb::report {
namespace {

// Longer tables end with a note; the JSON form has all rows.
constexpr std::size_t kMaxRows = 100;

std::string text_or(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? std::string() : found->get<std::string>();
}

std::string with_unit(const std::string& title, const std::string& unit) {
  return unit.empty() ? title : fmt::format("{} ({})", title, unit);
}

std::string axis_title(const Json& axis) {
  return with_unit(axis.at("title").get<std::string>(), text_or(axis, "unit"));
}

// Six significant digits, without an exponent where that reads better.
std::string number(double value) {
  std::string text = fmt::format("{:.6g}", value);
  return text.find('e') != std::string::npos && std::abs(value) < 1e15 && std::abs(value) >= 1
             ? fmt::format("{:.0f}", value)
             : text;
}

std::string scalar(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return escape_markdown(value.get<std::string>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_float()) return number(value.get<double>());
  return std::to_string(value.get<std::int64_t>());
}

std::string cell(const Json& value, const std::string& kind) {
  const std::string text = scalar(value);
  return kind == "code" && !text.empty()
             ? fmt::format("`{}`", value.is_string() ? value.get<std::string>() : text)
             : text;
}

// "**Caption** (synthetic)" and the note below it.
std::string head(const std::string& title, const Json& object) {
  const std::string badge = text_or(object, "badge");
  const std::string note = text_or(object, "note");
  return fmt::format("**{}**{}\n\n{}", escape_markdown(title),
                     badge.empty() ? "" : fmt::format(" ({})", badge),
                     note.empty() ? "" : escape_markdown(note) + "\n\n");
}

std::string table(const Json& table) {
  std::string out = head(table.at("caption").get<std::string>(), table);
  std::string rule;
  for (const Json& column : table.at("columns")) {
    const std::string kind = column.at("kind").get<std::string>();
    out += fmt::format("| {} ", escape_markdown(axis_title(column)));
    rule += kind == "integer" || kind == "number" ? "| ---: " : "| --- ";
  }
  out += fmt::format("|\n{}|\n", rule);
  const Json& rows = table.at("rows");
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxRows); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j)
      out += fmt::format("| {} ", cell(rows[i][j], table.at("columns")[j].at("kind").get<std::string>()));
    out += "|\n";
  }
  if (rows.size() > kMaxRows)
    out += fmt::format("\n{} of {} rows; the JSON form has all.\n", kMaxRows, rows.size());
  return out + "\n";
}

// Two columns: what, and how much.
std::string amounts(const std::string& what, const std::string& how_much,
                    const std::vector<std::pair<std::string, double>>& rows) {
  std::string out =
      fmt::format("| {} | {} |\n| --- | ---: |\n", escape_markdown(what), escape_markdown(how_much));
  for (const auto& [label, value] : rows)
    out += fmt::format("| {} | {} |\n", escape_markdown(label), number(value));
  return out + "\n";
}

std::string bars(const Json& chart) {
  std::vector<std::pair<std::string, double>> sums;
  for (const Json& bar : chart.at("bars")) {
    const std::string label = bar.at("label").get<std::string>();
    auto found = std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.first == label; });
    if (found == sums.end()) found = sums.insert(sums.end(), {label, 0});
    found->second += bar.at("value").get<double>();
  }
  std::stable_sort(sums.begin(), sums.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return amounts("", axis_title(chart.at("value")), sums);
}

std::string histogram(const Json& chart) {
  const Json& edges = chart.at("edges");
  std::vector<double> counts(edges.size() + 1, 0);
  for (const Json& group : chart.at("groups"))
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += group.at("counts")[i].get<double>();
  std::vector<std::pair<std::string, double>> rows;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const auto edge = [&](std::size_t at) { return number(edges[at].get<double>()); };
    rows.emplace_back(i == 0              ? "below " + edge(0)
                      : i == edges.size() ? edge(i - 1) + " and above"
                                          : edge(i - 1) + " to " + edge(i),
                      counts[i]);
  }
  return amounts(axis_title(chart.at("x")), "samples", rows);
}

std::string range(const Json& points, std::size_t member) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Json& point : points) {
    low = std::min(low, point[member].get<double>());
    high = std::max(high, point[member].get<double>());
  }
  return fmt::format("{}..{}", number(low), number(high));
}

std::string density_map(const Json& chart) {
  const Json& points = chart.at("points");
  if (points.empty()) return "No points.\n\n";
  std::string out = fmt::format("{} points", points.size());
  const Json& axes = chart.at("axes");
  for (std::size_t i = 0; i < axes.size(); ++i)
    out += fmt::format(", {} {}", escape_markdown(axis_title(axes[i])), range(points, i));
  return out + fmt::format("; {} {}\n\n", axis_title(chart.at("value")), range(points, axes.size()));
}

std::string series(const Json& chart) {
  std::string out;
  for (const Json& one : chart.at("series")) {
    const Json& points = one.at("points");
    if (points.empty()) continue;
    out += fmt::format("- {}: {} points, {} {}, {} {}\n", escape_markdown(one.at("label").get<std::string>()),
                       points.size(), escape_markdown(axis_title(chart.at("x"))), range(points, 0),
                       escape_markdown(axis_title(chart.at("y"))), range(points, 1));
  }
  return out + "\n";
}

std::string chart(const Json& chart) {
  const std::string type = chart.at("type").get<std::string>();
  const std::string title = head(chart.at("title").get<std::string>(), chart);
  if (type == "bars") return title + bars(chart);
  if (type == "error_distribution") return title + histogram(chart);
  if (type == "density_map") return title + density_map(chart);
  return title + series(chart);
}

std::string section(const Json& section) {
  std::string out = fmt::format("## {}\n\n", escape_markdown(section.at("heading").get<std::string>()));
  const auto each = [&](const char* key, auto&& visit) {
    if (const auto found = section.find(key); found != section.end())
      for (const Json& item : *found) visit(item);
  };
  each("text", [&](const Json& paragraph) { out += escape_markdown(paragraph.get<std::string>()) + "\n\n"; });
  each("list", [&](const Json& item) { out += "- " + escape_markdown(item.get<std::string>()) + "\n"; });
  if (section.contains("list")) out += "\n";
  each("facts", [&](const Json& fact) {
    const std::string unit = text_or(fact, "unit");
    out += fmt::format("- {}: {}{}{}\n", escape_markdown(fact.at("name").get<std::string>()),
                       scalar(fact.at("value")), unit.empty() ? "" : " ", unit);
  });
  if (section.contains("facts")) out += "\n";
  each("charts", [&](const Json& item) { out += chart(item); });
  each("tables", [&](const Json& item) { out += table(item); });
  return out;
}

}  // namespace

std::string markdown(const Json& document) {
  check(document);
  std::string out = fmt::format("# {}\n\n", escape_markdown(document.at("title").get<std::string>()));
  const std::string subtitle = text_or(document, "subtitle");
  if (!subtitle.empty()) out += escape_markdown(subtitle) + "\n\n";
  if (document.contains("notices"))
    for (const Json& notice : document.at("notices"))
      out += fmt::format("> **{}**: {}\n\n", notice.at("kind").get<std::string>(),
                         escape_markdown(notice.at("text").get<std::string>()));
  for (const Json& one : document.at("sections")) out += section(one);
  return out;
}

}  // namespace profdb::report
