// Is a JSON value a report document? Says where not.
#include <fmt/format.h>

#include <array>
#include <set>
#include <string_view>

#include "profdb/error.h"
#include "report/render/render.h"

namespace profdb::report {
namespace {

// A value and where it stands in the document.
struct At {
  const Json& value;
  std::string place;

  [[noreturn]] void refuse(const std::string& wrong) const {
    throw Error(ErrorKind::input, fmt::format("report document, {}: {}; see report/document/document.h",
                                              place.empty() ? "top level" : place, wrong));
  }
  std::string inner(std::string_view key) const {
    return fmt::format("{}{}{}", place, place.empty() ? "" : ".", key);
  }

  At key(const char* name) const {
    if (!value.is_object()) refuse("is no object");
    const auto found = value.find(name);
    if (found == value.end()) refuse(fmt::format(R"(lacks "{}")", name));
    return {*found, inner(name)};
  }
  bool has(const char* name) const { return value.is_object() && value.contains(name); }

  const std::string& text() const {
    if (!value.is_string()) refuse("is no text");
    return value.get_ref<const std::string&>();
  }
  double number() const {
    if (!value.is_number()) refuse("is no number");
    return value.get<double>();
  }
  std::size_t size() const {
    if (!value.is_array()) refuse("is no array");
    return value.size();
  }
  template <typename F>
  void each(F&& visit) const {
    for (std::size_t i = 0; i < size(); ++i) visit(At{value[i], fmt::format("{}[{}]", place, i)});
  }
  // The array of that name, where there is one.
  template <typename F>
  void each(const char* name, F&& visit) const {
    if (has(name)) key(name).each(visit);
  }
};

void check_one_of(const At& at, std::initializer_list<std::string_view> words) {
  std::string list;
  for (const auto word : words) {
    if (at.text() == word) return;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", word);
  }
  at.refuse(fmt::format("is '{}', not one of {}", at.text(), list));
}

void check_tags(const At& at) {
  if (!at.has("tags")) return;
  const At tags = at.key("tags");
  if (!tags.value.is_object()) tags.refuse("is no object");
  for (const auto& [key, value] : tags.value.items()) At{value, tags.inner(key)}.text();
}

void check_axis(const At& at) {
  at.key("title").text();
  if (at.has("unit")) at.key("unit").text();
}

// A point: `fewest` numbers, and no more members than `most`; those beyond the numbers are free.
void check_point(const At& at, std::size_t fewest, std::size_t most) {
  if (at.size() < fewest || at.size() > most)
    at.refuse(fmt::format("has {} members instead of {}", at.size(),
                          fewest == most ? std::to_string(fewest) : fmt::format("{} to {}", fewest, most)));
  for (std::size_t i = 0; i < fewest; ++i) At{at.value[i], fmt::format("{}[{}]", at.place, i)}.number();
}

void check_density_map(const At& at) {
  const std::size_t axes = at.key("axes").size();
  if (axes < 2) at.key("axes").refuse("has fewer than two axes");
  at.each("axes", check_axis);
  check_axis(at.key("value"));
  at.key("points").each([&](const At& point) { check_point(point, axes + 2, axes + 2); });
}

void check_latency_curve(const At& at) {
  check_axis(at.key("x"));
  check_axis(at.key("y"));
  at.key("series").each([](const At& series) {
    series.key("label").text();
    series.key("points").each([](const At& point) { check_point(point, 3, 3); });
    series.key("line").each([](const At& point) { check_point(point, 2, 2); });
  });
}

void check_distribution(const At& at) {
  check_axis(at.key("x"));
  const At edges = at.key("edges");
  if (edges.size() < 2) edges.refuse("has fewer than two edges");
  double last = 0;
  edges.each([&](const At& edge) {
    if (&edge.value != &edges.value.front() && edge.number() <= last) edge.refuse("does not rise");
    last = edge.number();
  });
  at.key("groups").each([&](const At& group) {
    check_tags(group);
    const At counts = group.key("counts");
    if (counts.size() != edges.size() + 1)
      counts.refuse(fmt::format("has {} counts instead of {}", counts.size(), edges.size() + 1));
    counts.each([](const At& count) { count.number(); });
  });
}

void check_bars(const At& at) {
  check_axis(at.key("value"));
  at.key("bars").each([](const At& bar) {
    bar.key("label").text();
    if (bar.key("value").number() < 0) bar.key("value").refuse("is negative");
    check_tags(bar);
    if (bar.has("tone")) check_one_of(bar.key("tone"), {"good", "fair", "bad"});
  });
}

void check_scatter(const At& at) {
  check_axis(at.key("x"));
  check_axis(at.key("y"));
  at.key("series").each([](const At& series) {
    series.key("label").text();
    series.key("points").each([](const At& point) { check_point(point, 2, 3); });
  });
  at.each("lines", [](const At& line) {
    line.key("label").text();
    line.key("points").each([](const At& point) { check_point(point, 2, 2); });
  });
}

void check_chart(const At& at) {
  at.key("title").text();
  check_tags(at);
  const At type = at.key("type");
  check_one_of(type, {"density_map", "latency_curve", "error_distribution", "bars", "scatter"});
  if (type.text() == "density_map") check_density_map(at);
  if (type.text() == "latency_curve") check_latency_curve(at);
  if (type.text() == "error_distribution") check_distribution(at);
  if (type.text() == "bars") check_bars(at);
  if (type.text() == "scatter") check_scatter(at);
}

void check_scalar(const At& at) {
  if (at.value.is_structured()) at.refuse("is neither text, number, true, false nor null");
}

void check_table(const At& at) {
  at.key("caption").text();
  std::set<std::string> keys;
  at.key("columns").each([&](const At& column) {
    column.key("title").text();
    check_one_of(column.key("kind"), {"text", "code", "integer", "number"});
    if (!keys.insert(column.key("key").text()).second) column.key("key").refuse("stands twice");
  });
  at.key("rows").each([&](const At& row) {
    if (row.size() != keys.size())
      row.refuse(fmt::format("has {} cells, the table {} columns", row.size(), keys.size()));
    row.each(check_scalar);
  });
}

void check_section(const At& at) {
  at.key("heading").text();
  at.each("text", [](const At& paragraph) { paragraph.text(); });
  at.each("list", [](const At& item) { item.text(); });
  at.each("facts", [](const At& fact) {
    fact.key("name").text();
    check_scalar(fact.key("value"));
  });
  at.each("charts", check_chart);
  at.each("tables", check_table);
}

}  // namespace

void check(const Json& document) {
  const At at{document, ""};
  if (at.key("format").text() != kFormat) at.key("format").refuse(fmt::format("is not '{}'", kFormat));
  if (at.key("version").value != kDocumentVersion)
    at.key("version").refuse(fmt::format("is not {}: another version of profdb wrote it", kDocumentVersion));
  at.key("title").text();
  at.each("notices", [](const At& notice) {
    check_one_of(notice.key("kind"), {"synthetic", "warning", "note"});
    notice.key("text").text();
  });
  at.each("filters", [](const At& filter) {
    filter.key("key").text();
    filter.key("title").text();
  });
  at.key("sections").each(check_section);
}

}  // namespace profdb::report
