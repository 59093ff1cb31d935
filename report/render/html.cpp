// The HTML form: the template with its parts and the document put in.
#include <array>
#include <string_view>

#include "report/render/assets.h"
#include "report/render/escape.h"
#include "report/render/render.h"

namespace profdb::report {
namespace {

// In the order in which they run; report.js is the one that starts the page.
constexpr auto kScripts = std::to_array<std::string_view>(
    {"vendor/uPlot-1.6.32/uPlot.iife.min.js", "dom.js", "format.js", "filters.js", "plot.js", "density.js",
     "curves.js", "scatter.js", "histogram.js", "bars.js", "tables.js", "report.js"});
constexpr auto kStyles = std::to_array<std::string_view>({"vendor/uPlot-1.6.32/uPlot.min.css", "report.css"});

template <std::size_t N>
std::string joined(const std::array<std::string_view, N>& names) {
  std::string all;
  for (const auto name : names) {
    all += asset(name);
    all += '\n';
  }
  return all;
}

// The plotting library's licence asks to go with every copy.
std::string licence_comment() {
  return "/* uPlot\n" + std::string(asset("vendor/uPlot-1.6.32/LICENSE")) + "\n*/\n";
}

// JSON that can stand in a script element: no "</script" and no "<!--" can come about.
std::string script_json(const Json& document) {
  std::string safe;
  for (const char c : json_text(document)) {
    if (c == '<')
      safe += R"(\u003c)";
    else
      safe += c;
  }
  return safe;
}

// Puts `value` where the template says <!--NAME-->.
void fill(std::string& page, std::string_view place, const std::string& value) {
  const auto at = page.find(place);
  if (at != std::string::npos) page.replace(at, place.size(), value);
}

}  // namespace

std::string html(const Json& document) {
  check(document);
  std::string page(asset("report.html"));
  // In this order nothing in the data is taken for a place: JSON holds no "<".
  fill(page, "/*STYLES*/", joined(kStyles));
  fill(page, "/*SCRIPTS*/", licence_comment() + joined(kScripts));
  fill(page, R"("DOCUMENT")", script_json(document));
  fill(page, "<!--TITLE-->", escape_html(document.at("title").get<std::string>()));
  return page;
}

}  // namespace profdb::report
