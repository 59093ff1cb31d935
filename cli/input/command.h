// A command of the command line and its options: what CLI11 does with them, without its headers, which cost
// every file that includes them seconds to compile. Only command.cpp, main.cpp and the help formatter include
// those.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace profdb::cli {

// An option or argument of a command, to be described further. A handle: the command owns it.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option type_name(const std::string& name) const;  // what the help calls its value
  Option required() const;
  Option one_value() const;  // of a list: one value each time that it is given
  Option show_default() const;
  Option needs(const Option& other) const;
  Option needs(const std::string& name) const;
  Option excludes(const Option& other) const;
  Option excludes(const std::string& name) const;
  // Values that are refused otherwise, as a usage error.
  Option one_of(const std::vector<std::string>& values) const;
  Option one_of_ignoring_case(
      const std::vector<std::string>& values) const;  // made the value as it is listed
  Option range(std::int64_t from, std::int64_t to) const;
  Option real_range(double from, double to) const;
  Option positive() const;

 private:
  CLI::Option* option_;
};

// A command with its subcommands. A handle: the app owns it. What an option sets must live until the action
// has run.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  Command add_subcommand(const std::string& name, const std::string& description) const;
  void require_subcommand() const;
  void footer(const std::string& text) const;
  void callback(std::function<void()> chosen) const;  // called while the arguments are parsed

  // NAMES as CLI11 has them: "--name", or "name" of an argument.
  Option add_option(const std::string& names, std::string& value, const std::string& description) const;
  Option add_option(const std::string& names, double& value, const std::string& description) const;
  Option add_option(const std::string& names, unsigned& value, const std::string& description) const;
  Option add_option(const std::string& names, std::int64_t& value, const std::string& description) const;
  Option add_option(const std::string& names, std::uint64_t& value, const std::string& description) const;
  Option add_option(const std::string& names, std::optional<std::int64_t>& value,
                    const std::string& description) const;
  Option add_option(const std::string& names, std::vector<std::string>& value,
                    const std::string& description) const;
  Option add_option(const std::string& names, std::vector<std::int64_t>& value,
                    const std::string& description) const;
  Option add_option(const std::string& names, std::vector<std::filesystem::path>& value,
                    const std::string& description) const;
  Option add_flag(const std::string& name, bool& value, const std::string& description) const;
  Option option(const std::string& name) const;  // one that was added before

 private:
  CLI::App* app_;
};

}  // namespace profdb::cli
