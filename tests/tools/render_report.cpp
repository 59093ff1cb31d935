// Renders a report document: profdb_render_report DOCUMENT.json OUT.html|OUT.md|OUT.json
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>

#include "report/render/render.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: profdb_render_report DOCUMENT.json OUT.html|OUT.md|OUT.json\n", stderr);
    return 2;
  }
  try {
    std::ifstream in(argv[1], std::ios::binary);
    const auto document = nlohmann::ordered_json::parse(in);
    std::ofstream out(argv[2], std::ios::binary | std::ios::trunc);
    out << profdb::report::render(document, profdb::report::form_of(argv[2]));
    out.close();
    return out ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "profdb_render_report: %s\n", e.what());
    return 3;
  }
}
