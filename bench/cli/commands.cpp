#include "bench/cli/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bench/cli/advise.hpp"
#include "bench/cli/compare.hpp"
#include "bench/cli/doctor.hpp"
#include "bench/cli/export.hpp"
#include "bench/cli/fleet.hpp"
#include "bench/cli/import.hpp"
#include "bench/cli/map.hpp"
#include "bench/cli/options.hpp"
#include "bench/cli/profile.hpp"
#include "bench/cli/run.hpp"
#include "bench/harness/interruption.hpp"
#include "src/common/command_line.hpp"
#include "src/common/program.hpp"
#include "src/common/unknown_option.hpp"
#include "src/completion/generate.hpp"
#include "src/exports/results/formats.hpp"

namespace bench_transfers::bench {
namespace {

/// Throws usage_error unless the subcommand comes first and knows all arguments.
void require_alone(const CLI::App& app, const CLI::App& command, std::string_view first) {
  const auto& name = command.get_name();
  if (first != name)
    throw common::usage_error(
        fmt::format("{0} comes first and takes options of its own (see {0} --help)", name));
  auto others = app.remaining(true);
  for (const auto* const also : app.get_subcommands())
    if (also != &command) others.push_back(also->get_name());
  if (!others.empty())
    throw common::unknown_argument_of(name, others.front(), common::option_names(command));
}

int run(const advice_request& request) {
  try {
    return advise(request) ? all_ran : nothing_ran;
  } catch (const nothing_to_rank& error) {
    common::complain("bench_transfers", error.what());
    return nothing_ran;
  }
}

int run(const map_request& request) {
  watch_for_interruption();
  const auto mapped = map_host(request);
  if (mapped.signal != 0) return 128 + mapped.signal;
  if (mapped.measured == 0) return nothing_ran;
  return mapped.skipped > 0 ? something_failed : all_ran;
}

int run(const doctor_request& request) {
  watch_for_interruption();
  const auto verdict = examine(request);
  if (interruption() != 0) return 128 + interruption();
  switch (verdict) {
    case doctor::verdict::healthy: return all_ran;
    case doctor::verdict::findings: return something_failed;
    case doctor::verdict::not_known: return nothing_ran;
  }
  return something_failed;
}

int run(const export_request& request) { return export_results(request), all_ran; }
int run(const import_request& request) { return import_results(request), all_ran; }
int run(const comparison_request& request) { return compare_results(request), all_ran; }

template <class Request>
command added(CLI::App& app, CLI::App* (*add)(CLI::App&, Request&)) {
  const auto request = std::make_shared<Request>();
  auto* const options = add(app, *request);
  return {
      options,
      [=](const CLI::App& given, std::string_view first) { require_alone(given, *options, first); },
      [=] { return run(*request); }};
}

command added_advise(CLI::App& app) {
  const auto request = std::make_shared<advice_request>();
  auto* const options = add_advise(app, *request);
  return {options,
          [=](const CLI::App& given, std::string_view first) {
            refuse_values_of_no_option(given.remaining(true));
            require_alone(given, *options, first);
            check_advice_request(*request, *options);
          },
          [=] { return run(*request); }};
}

/// For --help alone: its options are those of a run, and more.
command added_fleet(CLI::App& app) {
  return {add_fleet(app),
          [](const CLI::App&, std::string_view) {
            throw common::usage_error("fleet comes first (see fleet --help)");
          },
          [] { return bad_usage; }};
}

/// Values to offer, not all that are allowed.
completion::choices offered() {
  return {{"--device", {"auto", "all", "host", "cuda:"}},
          {"--profile", profile_names()},
          {"--cache", {"warm", "cold", "both"}},
          {"--list", {"families", "all", "json"}},
          {"advise --direction", {"h2d", "d2h", "both"}},
          {"doctor --device", {"all", "cuda:"}},
          {"map --device", {"all", "cuda:"}},
          {"export --format", exports::words_of_formats()},
          {"import --format", {"nvbandwidth"}}};
}

completion::choices offered_in_fleet() {
  return {{"--device", {"host", "cuda:"}},
          {"--profile", profile_names()},
          {"--cache", {"warm", "cold", "both"}},
          {"--list", {"families", "all", "json"}},
          {"--mpi", {"auto", "none"}}};
}

/// All options and commands, for the shell.
completion::command describe_program() {
  const option_table run(false);
  auto program = completion::describe(run.app, offered());
  const option_table fleet(true);
  auto of_fleet = completion::describe(fleet.app, offered_in_fleet());
  of_fleet.name = "fleet";
  std::erase_if(of_fleet.options, [](const completion::option& option) {
    const auto& name = option.names.back();
    return name == "--version" || name == "--generate";
  });
  for (auto& command : program.commands)
    if (command.name == of_fleet.name) command = of_fleet;
  return program;
}

}  // namespace

std::vector<command> add_commands(CLI::App& app) {
  // In the order of --help.
  std::vector<command> commands{
      added_advise(app),      added(app, add_map),    added(app, add_doctor), added_fleet(app),
      added(app, add_export), added(app, add_import), added(app, add_compare)};
  // Beside another command, `fleet` is an argument of that one.
  std::rotate(commands.begin() + 3, commands.begin() + 4, commands.end());
  return commands;
}

void add_completion(CLI::App& app) { completion::add_generate(app, describe_program); }

}  // namespace bench_transfers::bench
