// The three forms of a report, all made from its document (document.h). Pure functions of the document: the
// same document gives the same bytes.
#pragma once

#include <string>

#include "report/document/document.h"

namespace profdb::report {

// Throws Error(input) that names the place, e.g. "sections[2].charts[0].points[3]", where `document` is not
// what document.h says. The renderers call it first.
void check(const Json& document);

// One HTML file that needs nothing else: styles, scripts, the plotting library and the document are inside,
// and its content security policy forbids every request.
std::string html(const Json& document);
// Markdown: text, facts and tables; of charts what they show, in words or as a table.
std::string markdown(const Json& document);
// The document itself, on one line.
std::string json_text(const Json& document);

enum class Form { html, markdown, json };

// By the file name's ending: .html or .htm, .md, .json. Throws Error(usage) for any other.
Form form_of(const std::string& file_name);
std::string render(const Json& document, Form form);

}  // namespace profdb::report
