// Which form a report takes, and the plainest of them.
#include "report/render/render.h"

#include <fmt/format.h>

#include <filesystem>

#include "profdb/error.h"

namespace profdb::report {

std::string json_text(const Json& document) {
  check(document);
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Form form_of(const std::string& file_name) {
  const std::string ending = std::filesystem::path(file_name).extension().string();
  if (ending == ".html" || ending == ".htm") return Form::html;
  if (ending == ".md") return Form::markdown;
  if (ending == ".json") return Form::json;
  throw Error(ErrorKind::usage,
              fmt::format("{}: a report is written as .html, .md or .json; name the file so", file_name));
}

std::string render(const Json& document, Form form) {
  switch (form) {
    case Form::html:
      return html(document);
    case Form::markdown:
      return markdown(document);
    case Form::json:
      break;
  }
  return json_text(document);
}

}  // namespace profdb::report
