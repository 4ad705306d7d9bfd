#include "src/command/options.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "src/common/program.hpp"

namespace bench_transfers::commands {
namespace {

void add_output(CLI::App& command, const char* name, std::filesystem::path& output,
                const char* description) {
  command.add_option(name, output, description)->type_name("FILE");
}

}  // namespace

void add_json(CLI::App& command, std::filesystem::path& output) {
  add_output(command, "--json", output, "write the answer for programs; - prints it alone");
}
void add_markdown(CLI::App& command, std::filesystem::path& output) {
  add_output(command, "--markdown", output, "write it for a comment");
}
void add_junit(CLI::App& command, std::filesystem::path& output) {
  add_output(command, "--junit", output, "write it as test cases (JUnit XML)");
}
void add_openmetrics(CLI::App& command, std::filesystem::path& output) {
  add_output(command, "--openmetrics", output, "write it for Prometheus");
}

CLI::Option& add_files(CLI::App& command, const char* name,
                       std::vector<std::filesystem::path>& files, const char* description) {
  return *command.add_option(name, files, description)
              ->type_name("FILE")
              ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Option& take_each(CLI::Option& option, const char* type) {
  return *option.allow_extra_args(false)
              ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
              ->type_name(type);
}

bool may_be_of_environment(const CLI::Option& option) {
  const auto name = option.get_envname();
  return !name.empty() && std::getenv(name.c_str()) != nullptr;
}

void refuse_without_effect(const CLI::App& command, const std::vector<std::string_view>& options,
                           std::string_view mode) {
  for (const auto name : options) {
    const auto* const option = command.get_option_no_throw(std::string(name));
    if (option != nullptr && option->count() > 0 && !may_be_of_environment(*option))
      throw common::usage_error(fmt::format("{} has no effect with {}", name, mode));
  }
}

std::set<std::string> option_names(const CLI::App& app) {
  std::set<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.insert("--" + name);
  for (const auto* command : app.get_subcommands(nullptr)) names.insert(command->get_name());
  return names;
}

}  // namespace bench_transfers::commands
