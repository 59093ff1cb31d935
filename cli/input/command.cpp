// Passing on to CLI11.
#include "cli/input/command.h"

#include <CLI/CLI.hpp>

namespace profdb::cli {
namespace {

// The help has what is allowed in the name of the value; CLI11 would add it a second time.
CLI::Validator silent(CLI::Validator validator) {
  return validator.description("");
}

}  // namespace

Option Option::type_name(const std::string& name) const {
  return Option(option_->type_name(name));
}
Option Option::required() const {
  return Option(option_->required());
}
Option Option::one_value() const {
  return Option(option_->allow_extra_args(false));
}
Option Option::show_default() const {
  return Option(option_->capture_default_str());
}
Option Option::needs(const Option& other) const {
  return Option(option_->needs(other.option_));
}
Option Option::needs(const std::string& name) const {
  return Option(option_->needs(name));
}
Option Option::excludes(const Option& other) const {
  return Option(option_->excludes(other.option_));
}
Option Option::excludes(const std::string& name) const {
  return Option(option_->excludes(name));
}
Option Option::one_of(const std::vector<std::string>& values) const {
  return Option(option_->check(silent(CLI::IsMember(values))));
}
Option Option::one_of_ignoring_case(const std::vector<std::string>& values) const {
  return Option(option_->transform(silent(CLI::IsMember(values, CLI::ignore_case))));
}
Option Option::range(std::int64_t from, std::int64_t to) const {
  return Option(option_->check(silent(CLI::Range(from, to))));
}
Option Option::real_range(double from, double to) const {
  return Option(option_->check(silent(CLI::Range(from, to))));
}
Option Option::positive() const {
  return Option(option_->check(silent(CLI::PositiveNumber)));
}

Command Command::add_subcommand(const std::string& name, const std::string& description) const {
  return Command(app_->add_subcommand(name, description));
}
void Command::require_subcommand() const {
  app_->require_subcommand(1);
}
void Command::footer(const std::string& text) const {
  app_->footer(text);
}
void Command::callback(std::function<void()> chosen) const {
  app_->callback(std::move(chosen));
}

Option Command::option(const std::string& name) const {
  return Option(app_->get_option(name));
}
Option Command::add_flag(const std::string& name, bool& value, const std::string& description) const {
  return Option(app_->add_flag(name, value, description));
}
Option Command::add_option(const std::string& names, std::string& value,
                           const std::string& description) const {
  return Option(app_->add_option(names, value, description));
}
Option Command::add_option(const std::string& names, double& value, const std::string& description) const {
  return Option(app_->add_option(names, value, description));
}
Option Command::add_option(const std::string& names, unsigned& value, const std::string& description) const {
  return Option(app_->add_option(names, value, description));
}
Option Command::add_option(const std::string& names, std::int64_t& value,
                           const std::string& description) const {
  return Option(app_->add_option(names, value, description));
}
Option Command::add_option(const std::string& names, std::uint64_t& value,
                           const std::string& description) const {
  return Option(app_->add_option(names, value, description));
}
Option Command::add_option(const std::string& names, std::optional<std::int64_t>& value,
                           const std::string& description) const {
  return Option(app_->add_option(names, value, description));
}
Option Command::add_option(const std::string& names, std::vector<std::string>& value,
                           const std::string& description) const {
  return Option(app_->add_option(names, value, description));
}
Option Command::add_option(const std::string& names, std::vector<std::int64_t>& value,
                           const std::string& description) const {
  return Option(app_->add_option(names, value, description));
}
Option Command::add_option(const std::string& names, std::vector<std::filesystem::path>& value,
                           const std::string& description) const {
  return Option(app_->add_option(names, value, description));
}

}  // namespace profdb::cli
