#include "bench/cli/arguments.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "bench/cli/processes.hpp"
#include "src/command/options.hpp"
#include "src/common/program.hpp"
#include "src/completion/generate.hpp"

namespace bench_transfers::bench {
namespace {

/// The same command line, with the option that a command's `--` stands for: CLI11 would only end
/// the options by it.
std::vector<const char*> with_dashes_named(std::span<const char* const> arguments) {
  std::vector<const char*> named(arguments.begin(), arguments.end());
  for (const auto& entry : commands::registered())
    if (named.size() > 1 && named[1] == entry.name && !entry.dashes.empty())
      std::ranges::replace_if(
          named, [](const char* argument) { return std::string_view(argument) == "--"; },
          entry.dashes.data());
  return named;
}

/// Those that this program does not know are Google Benchmark's, or nobody's.
void take_others(option_table& table) {
  const auto& app = table.app;
  if (!app.get_subcommands().empty()) return;
  for (const auto& extra : app.remaining()) {
    if (!extra.starts_with("--benchmark_"))
      throw table.is_fleet
          ? common::unknown_argument_of("fleet", extra, commands::option_names(app))
          : common::unknown_argument(extra, commands::option_names(app), "--help");
    table.settings.for_google_benchmark.push_back(extra);
  }
}

}  // namespace

std::optional<answer> read_options(option_table& table, std::span<const char* const> command_line) {
  common::require_values(command_line);
  auto arguments = with_dashes_named(command_line);
  if (table.is_fleet) arguments = without_command(arguments);
  try {
    commands::parse(table.app, arguments);
  } catch (const CLI::CallForHelp&) {
    table.hide();
    return answer{table.app.help()};
  } catch (const completion::generated& file) {
    return answer{file.text};
  } catch (const CLI::CallForVersion& version) {
    return answer{std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    take_others(table);
    throw common::usage_error(common::first_line(error.what()));
  }
  take_others(table);
  return std::nullopt;
}

std::vector<std::string> without_folders(std::vector<std::string> command_line) {
  const auto name = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  std::erase_if(command_line, [](const std::string& argument) {
    return argument.starts_with(std::string(option_of_process) + "=");
  });
  bool path_follows = true;  // the program's own
  for (auto& argument : command_line) {
    const bool is_path = std::exchange(path_follows, false);
    for (const std::string option : {"--out", "--benchmark_out", "--resume"}) {
      if (argument == option)
        path_follows = true;
      else if (argument.starts_with(option + "="))
        argument = option + "=" + name(argument.substr(option.size() + 1));
    }
    if (is_path) argument = name(argument);
  }
  return command_line;
}

}  // namespace bench_transfers::bench
