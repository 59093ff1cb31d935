// The document and its forms: what is refused, and that data never becomes markup.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "profdb/error.h"
#include "report/render/render.h"

namespace profdb::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Json every_chart() {
  std::ifstream in(PROFDB_SOURCE_DIR "/tests/report/every_chart.json");
  return Json::parse(in);
}

// What check() says of the document after `change`; empty where it takes it.
template <typename F>
std::string refusal(F&& change) {
  Json document = every_chart();
  change(document);
  try {
    check(document);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    return e.what();
  }
  return "";
}

Json& chart(Json& document, std::size_t i) {
  return document["sections"][1]["charts"][i];
}

TEST(ReportDocument, TakesEveryChartType) {
  EXPECT_EQ(refusal([](Json&) {}), "");
}

TEST(ReportDocument, NamesThePlaceOfAFault) {
  EXPECT_THAT(refusal([](Json& d) { d["version"] = 2; }), HasSubstr("version"));
  EXPECT_THAT(refusal([](Json& d) { d.erase("title"); }), HasSubstr("lacks \"title\""));
  EXPECT_THAT(refusal([](Json& d) { chart(d, 0)["type"] = "pie"; }),
              HasSubstr("sections[1].charts[0].type: is 'pie'"));
  EXPECT_THAT(refusal([](Json& d) { chart(d, 0)["points"][3][1] = "many"; }),
              HasSubstr("sections[1].charts[0].points[3][1]: is no number"));
  EXPECT_THAT(refusal([](Json& d) { chart(d, 0)["points"][0].erase(0); }),
              HasSubstr("has 4 members instead of 5"));
  EXPECT_THAT(refusal([](Json& d) { chart(d, 2)["edges"][2] = -15; }), HasSubstr("edges[2]: does not rise"));
  EXPECT_THAT(refusal([](Json& d) { chart(d, 2)["groups"][0]["counts"].erase(0); }),
              HasSubstr("has 5 counts instead of 6"));
  EXPECT_THAT(refusal([](Json& d) { chart(d, 3)["bars"][0]["value"] = -1; }), HasSubstr("is negative"));
  EXPECT_THAT(refusal([](Json& d) { d["sections"][1]["tables"][0]["rows"][1].erase(0); }),
              HasSubstr("has 3 cells, the table 4 columns"));
  EXPECT_THAT(refusal([](Json& d) { d["notices"][0]["kind"] = "loud"; }),
              HasSubstr("not one of synthetic, warning, note"));
}

TEST(ReportDocument, StructsBecomeADocumentThatIsTaken) {
  DensityMap map{.head = {.title = "t", .tags = {{"path", "p"}}},
                 .axes = {{"M"}, {"K"}},
                 .value = {"latency", "us"},
                 .points = {{1, 2, 3.5, 1}}};
  Section section{
      .heading = "h", .text = {"x"}, .list = {"y"}, .facts = {{"n", 1, "us"}}, .charts = {to_json(map)}};
  section.tables = {
      {.caption = "c", .columns = {{"a", "A", Kind::number, "us"}}, .rows = {{1.5}, {nullptr}}}};
  const Json json = to_json(Document{
      .title = "d", .notices = {{"note", "n"}}, .filters = {{"path", "Path"}}, .sections = {section}});
  EXPECT_NO_THROW(check(json));
  EXPECT_EQ(json["sections"][0]["charts"][0]["points"], Json::parse("[[1, 2, 3.5, 1]]"));
  EXPECT_EQ(json["sections"][0]["tables"][0]["rows"], Json::parse("[[1.5], [null]]"));
  EXPECT_EQ(json["sections"][0]["facts"][0]["unit"], "us");
}

TEST(ReportHtml, HoldsTheDocumentAndNothingOfItAsMarkup) {
  const Json document = every_chart();
  const std::string page = html(document);
  EXPECT_THAT(page, Not(HasSubstr("<img src=x")));
  EXPECT_THAT(page, Not(HasSubstr("<script>window.injected")));
  const std::string begin = R"(<script type="application/json" id="document">)";
  const auto at = page.find(begin) + begin.size();
  EXPECT_EQ(Json::parse(page.substr(at, page.find("</script>", at) - at)), document);
}

TEST(ReportHtml, TextThatLooksLikeAPlaceStaysText) {
  Json document = every_chart();
  const std::string text = R"(<!--TITLE--> /*STYLES*/ /*SCRIPTS*/ "DOCUMENT")";
  document["title"] = text;
  document["sections"][1]["text"][0] = text;
  const std::string page = html(document);
  EXPECT_THAT(page,
              HasSubstr("<title>&lt;!--TITLE--&gt; /*STYLES*/ /*SCRIPTS*/ &quot;DOCUMENT&quot;</title>"));
  const std::string begin = R"(<script type="application/json" id="document">)";
  const auto at = page.find(begin) + begin.size();
  EXPECT_EQ(Json::parse(page.substr(at, page.find("</script>", at) - at)), document);
}

TEST(ReportHtml, HasEveryPartInside) {
  const std::string page = html(every_chart());
  for (const char* place : {"/*STYLES*/", "/*SCRIPTS*/", "\"DOCUMENT\"", "<!--TITLE-->"})
    EXPECT_THAT(page, Not(HasSubstr(place)));
  for (const char* part : {"var uPlot=", "function buildPage(", "function densityMap(",
                           "function scatterChart(", "The MIT License (MIT)"})
    EXPECT_THAT(page, HasSubstr(part)) << part;
  EXPECT_THAT(page, Not(HasSubstr(" src=\"http")));
}

TEST(ReportMarkdown, ShowsTablesAndBarsAndEscapesWhatWouldBeMarkup) {
  const std::string text = markdown(every_chart());
  EXPECT_THAT(text, HasSubstr("| a \\| pipe | `x_y` |  | 12345.7 |"));
  EXPECT_THAT(text, HasSubstr("# Synthetic \\</script>"));
  // 12 lookups of 55, the sum of the bars of that label.
  EXPECT_THAT(text, HasSubstr("| regime_mismatch | 12 |"));
  // The histogram's bin from 0 to 10 over both groups: 22 + 4.
  EXPECT_THAT(text, HasSubstr("| 0 to 10 | 26 |"));
  EXPECT_THAT(text, HasSubstr("8 points, M 1..256, K 256..4096, N 256..1024; latency (us) 5..55"));
}

TEST(ReportForm, FollowsTheFileName) {
  EXPECT_EQ(form_of("a/report.html"), Form::html);
  EXPECT_EQ(form_of("report.md"), Form::markdown);
  EXPECT_EQ(form_of("report.json"), Form::json);
  EXPECT_THROW(static_cast<void>(form_of("report.pdf")), Error);
}

}  // namespace
}  // namespace profdb::report
