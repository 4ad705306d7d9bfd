#include "bench/cli/command_line.hpp"

#include <fmt/format.h>

#include <array>
#include <random>
#include <span>
#include <utility>

#include "bench/cli/choose_device.hpp"
#include "bench/cli/options.hpp"
#include "bench/cli/processes.hpp"
#include "bench/cli/profile.hpp"
#include "bench/cli/site_file.hpp"
#include "src/command/options.hpp"
#include "src/common/files.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"
#include "src/common/writing.hpp"

namespace bench_transfers::bench {
namespace {

/// What sets options: a command line, or also variables and the site's file.
enum class sources { command_line, all };

parsed_command_line parse(std::span<const char* const> command_line, sources allowed);

// What a new run takes from a site's file.

/// Whether the command line asks for a new run of this process, and nothing else.
bool is_run(const option_table& table) {
  const auto is_given = [&](const char* option) { return table.app.count(option) > 0; };
  return !table.is_fleet && table.settings.resume.empty() && table.app.get_subcommands().empty() &&
         !is_given("--list") && !is_given("--benchmark_list_tests");
}

/// Throws usage_error for a site file that sets an option to what it cannot be, whether or not this
/// run takes it.
void require_usable(const site_defaults& site) {
  for (const auto& [option, line] : site.defaults) try {
      const std::array<const char*, 2> arguments{"bench_transfers", option.c_str()};
      require_device_list(parse(arguments, sources::command_line).settings.device);
    } catch (const common::usage_error& error) {
      refuse_site_file(site.file, line, error.what());
    }
}

/// Those that neither the command line nor variables set.
void take_site_defaults(option_table& table) {
  const auto site = read_site_file(table.names_of_sites());
  if (!site) return;
  require_usable(*site);
  const bool asks_for_cold = table.app.count("--cold-sizes") > 0;
  table.settings.site_file = common::printable(site->file.filename().string());
  table.settings.site_options = apply(*site, table.app);
  for (const auto& mode : modes_of(table))
    if (mode.kind == mode::without_cold && mode.is_chosen && asks_for_cold)
      table.refuse_without_effect(mode);
}

// What is measured.

/// Instead of writing it to a file.
void print_result(settings& settings) {
  if (!settings.display_format.empty())
    throw common::usage_error(
        fmt::format("--out={} and --benchmark_format both print to standard output", settings.out));
  settings.display_format = settings.out_format;
  settings.out.clear();
}

/// Those that are given, except the seed: order and data of another run are drawn anew.
std::vector<std::string> measuring_options(const CLI::App& app) {
  std::vector<std::string> options;
  for (const auto name : common::measuring_options)
    if (const auto* const option = app.get_option_no_throw(std::string(name));
        option && option->count() > 0)
      for (const auto& value : option->reduced_results())
        options.push_back(fmt::format("{}={}", name, value));
  return options;
}

/// Throws usage_error for an option without an effect in a mode that the command line chooses.
void refuse_without_effect(const option_table& table) {
  for (const auto& mode : modes_of(table))
    if (mode.is_chosen) table.refuse_without_effect(mode);
}

/// What is measured by these options.
parsed_command_line run_of(option_table& table, std::span<const char* const> argv) {
  auto& settings = table.settings;
  // Who names copies wants these, and not all the rest.
  if (!settings.concurrent.empty() && settings.strategies.empty())
    settings.strategies = {"concurrent"};
  settings.seed = std::random_device{}();
  table.take_values();
  settings.chose_out = !settings.out.empty() || !settings.display_format.empty();
  if (!table.is_fleet && common::is_standard_output(settings.out)) print_result(settings);
  set_by_profile(table);
  settings.options = measuring_options(table.app);
  settings.command_line = without_folders(std::vector<std::string>(argv.begin(), argv.end()));
  if (!table.process.empty()) become_process(table.process, settings);
  if (!table.is_fleet) return {.settings = settings};
  table.fleet.out = std::exchange(settings.out, "");
  check_fleet_request(table.fleet, settings);
  return {.settings = settings, .fleet = table.fleet};
}

/// A command line is read, checked against its modes, completed by the site's file, and taken for a
/// command or a run. A run that is resumed is without its file yet.
parsed_command_line parse(std::span<const char* const> command_line, sources allowed) {
  option_table table(
      {.of_fleet = is_fleet_command(command_line), .reads_environment = allowed == sources::all});
  if (auto asked = read_options(table, command_line)) return {.instead = std::move(asked)};
  if (allowed == sources::all) {  // not the options that a file gives
    refuse_without_effect(table);
    if (is_run(table)) take_site_defaults(table);
  }
  if (auto command = commands::chosen(table.app, table.commands,
                                      command_line.size() > 1 ? command_line[1] : ""))
    return {.command = std::move(command)};
  return run_of(table, command_line);
}

// A run that is resumed. Its options are those of the file; the command line says where the whole
// goes, and nothing else that counts.

/// With the options of the file; what the command line says besides is checked before.
settings resumed_settings(const std::vector<std::string>& arguments, const earlier_run& earlier) {
  std::vector<const char*> pointers{arguments.front().c_str()};
  for (const auto& option : earlier.options()) pointers.push_back(option.c_str());
  for (const auto& argument : std::span(arguments).subspan(1)) pointers.push_back(argument.c_str());
  try {
    return parse(pointers, sources::command_line).settings;
  } catch (const common::usage_error& error) {
    throw common::usage_error(fmt::format("cannot resume {}: with its options: {}",
                                          common::printable(earlier.file().string()),
                                          error.what()));
  }
}

/// What the command line says of the files, and nothing else counts.
bench::settings files_of_resume(std::span<const char* const> argv) {
  option_table table({.reads_environment = false});
  read_options(table, argv);
  table.require_only_options_of_resumed_runs();
  refuse_without_effect(table);
  if (table.settings.out.empty()) table.settings.out = table.settings.resume;
  return table.settings;
}

parsed_command_line parse_resumed(std::span<const char* const> argv) {
  const std::vector<std::string> arguments(argv.begin(), argv.end());
  const auto files = files_of_resume(argv);
  const bool prints = common::is_standard_output(files.out);
  const auto resumed = std::make_shared<resumption>(files.resume, prints ? "" : files.out);
  auto settings = resumed_settings(arguments, resumed->earlier);
  settings.command_line = without_folders(arguments);
  if (!prints) settings.out = files.out;
  settings.chose_out = true;
  settings.processes = 1;
  settings.process.number = static_cast<int>(resumed->earlier.parts()) + 1;
  return {.settings = std::move(settings), .resumed = resumed};
}

/// Whether --resume is there, as an option: it may also be the value of another one, as in
/// "--note --resume". A command line that cannot be parsed is refused afterwards.
bool is_resumed(std::span<const char* const> argv) {
  if (is_fleet_command(argv)) return false;
  option_table table({.reads_environment = false});
  try {
    return !read_options(table, argv) && table.app.count("--resume") > 0;
  } catch (const common::usage_error&) {
    return false;
  }
}

}  // namespace

resumption::resumption(const std::filesystem::path& file, const std::filesystem::path& out)
    : claim(file), claim_of_out(common::is_same_file(file, out) ? "" : out), earlier(file) {}

parsed_command_line parse_command_line(int argc, const char* const* argv) {
  const std::span<const char* const> arguments(argv, static_cast<std::size_t>(argc));
  // A variable that a resumed run does not count must not stop it either.
  auto parsed = parse(arguments, is_resumed(arguments) ? sources::command_line : sources::all);
  return parsed.settings.resume.empty() ? parsed : parse_resumed(arguments);
}

}  // namespace bench_transfers::bench
