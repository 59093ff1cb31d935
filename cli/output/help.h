// Help texts that fit 100 columns: CLI11 itself does not break lines.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace profdb::cli {

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(34); }
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;

 private:
  std::string entry(const std::string& name, const std::string& description) const;
};

}  // namespace profdb::cli
