// The first section, and the last one: what stands out, and what nobody has checked.
#include <fmt/format.h>

#include "report/sections/sections.h"

namespace profdb::report {

Section summary_section(const Findings& findings) {
  Section section{.heading = "Summary", .facts = findings.headlines, .tiles = true};
  section.text = {"See “Not verified”, the last section, before trusting a figure."};
  return section;
}

Section not_verified_section(const Input& input, Findings& findings) {
  Section section{.heading = "Not verified"};
  section.text = {
      "What this report does not show. A path that is not listed here has data and a hold-out; that does not "
      "make it right for calls unlike those that were held out."};
  section.list = findings.gaps;
  section.list.emplace_back(
      "Sums over operators, overlap and whole steps are not looked at: profdb answers single operators.");
  if (!input.badge().empty())
    section.list.emplace_back(
        "Nothing here says anything about a real device: the data of a release above is synthetic.");
  section.tables = std::move(findings.gap_tables);
  return section;
}

}  // namespace profdb::report
