#include <CLI/CLI.hpp>
#include <set>
#include <stdexcept>

#include "src/completion/command.hpp"

namespace bench_transfers::completion {
namespace {

/// Values that are listed belong to an option of the group "Options"; others are not in --help.
bool is_shown(const CLI::Option& option) { return option.get_group() == "Options"; }

value value_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return value::none;
  return option.get_items_expected_min() == 0 ? value::optional : value::required;
}

option described(const CLI::Option& given) {
  option result;
  for (const auto& name : given.get_snames()) result.names.push_back("-" + name);
  for (const auto& name : given.get_lnames()) result.names.push_back("--" + name);
  result.takes = value_of(given);
  if (result.takes != value::none) result.placeholder = given.get_type_name();
  return result;
}

class description {
 public:
  explicit description(const choices& offered) : offered_(offered) {}

  command of(const CLI::App& app, const std::string& prefix) {
    command result{.name = app.get_name()};
    for (const auto* given : app.get_options()) {
      if (!is_shown(*given)) continue;
      if (given->get_positional()) {
        result.takes_files = true;
        continue;
      }
      result.options.push_back(described(*given));
      offer(result.options.back(), prefix);
    }
    for (const auto* sub : app.get_subcommands(nullptr))
      result.commands.push_back(of(*sub, sub->get_name() + " "));
    return result;
  }

  void require_all_used() const {
    for (const auto& [name, values] : offered_)
      if (!used_.contains(name)) throw std::logic_error("values of no option: " + name);
  }

 private:
  void offer(option& listed, const std::string& prefix) {
    for (const auto& name : listed.names)
      if (const auto values = offered_.find(prefix + name); values != offered_.end()) {
        listed.choices = values->second;
        used_.insert(values->first);
      }
  }

  const choices& offered_;
  std::set<std::string> used_;
};

}  // namespace

command describe(const CLI::App& app, const choices& offered) {
  description result(offered);
  auto program = result.of(app, "");
  result.require_all_used();
  return program;
}

}  // namespace bench_transfers::completion
