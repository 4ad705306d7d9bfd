#include "bench/cli/command_line.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <random>
#include <set>
#include <span>
#include <utility>

#include "bench/cli/choose_device.hpp"
#include "bench/cli/modes.hpp"
#include "bench/cli/options.hpp"
#include "bench/cli/processes.hpp"
#include "bench/cli/profile.hpp"
#include "bench/cli/site_file.hpp"
#include "src/command/options.hpp"
#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/common/writing.hpp"
#include "src/completion/generate.hpp"
#include "src/machine/machine.hpp"

namespace bench_transfers::bench {
namespace {

/// "0.5" or "0.5s", as older and newer releases of Google Benchmark accept it.
std::chrono::nanoseconds parse_min_time(const std::string& text) {
  const auto number = text.substr(0, text.size() - (text.ends_with('s') ? 1 : 0));
  double seconds = 0;
  if (!CLI::detail::lexical_cast(number, seconds) || !(seconds > 0 && seconds < 3600))
    throw common::usage_error(fmt::format(
        "bad --benchmark_min_time '{}': seconds between 0 and 3600, such as 0.01", text));
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

std::uint64_t parse_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, seed);
  if (error != std::errc{} || stopped != end)
    throw common::usage_error(
        fmt::format("bad --seed '{}': a whole number from 0 to 2^64 - 1", text));
  return seed;
}

void require_one_of(const std::string& flag, const std::string& value,
                    std::initializer_list<std::string_view> allowed) {
  for (const auto candidate : allowed)
    if (value == candidate) return;
  throw common::usage_error(fmt::format("bad {} '{}': {}", flag, value, fmt::join(allowed, ", ")));
}

listing parse_listing(const std::string& word, const std::vector<std::string>& strategies) {
  if (!word.empty() && word != "families" && word != "all" && word != "json")
    throw common::usage_error(fmt::format(
        "bad --list '{}': families, all or json (--list --strategies={} chooses what is listed)",
        common::printable_in_short(word), common::printable_in_short(word)));
  if (word.empty()) return strategies.empty() ? listing::families : listing::strategies;
  if (word == "json") return listing::json;
  return word == "all" ? listing::strategies : listing::families;
}

/// Instead of writing it to a file.
void print_result(settings& settings) {
  if (!settings.display_format.empty())
    throw common::usage_error(
        fmt::format("--out={} and --benchmark_format both print to standard output", settings.out));
  settings.display_format = settings.out_format;
  settings.out.clear();
}

/// Google Benchmark's settings from the environment, as far as it can reject them, and from the
/// command line.
std::vector<std::string> google_benchmark_settings(const settings& settings) {
  std::vector<std::string> assignments;
  for (const auto* name : {"BENCHMARK_FORMAT", "BENCHMARK_OUT_FORMAT", "BENCHMARK_TIME_UNIT",
                           "BENCHMARK_COLOR", "BENCHMARK_CONTEXT"})
    if (const auto* value = std::getenv(name))
      assignments.push_back(fmt::format("{}={}", name, common::printable_in_short(value)));
  assignments.insert(assignments.end(), settings.for_google_benchmark.begin(),
                     settings.for_google_benchmark.end());
  return assignments;
}

/// Google Benchmark writes most of them to its JSON as they are, which is no JSON then.
void refuse_control_characters(std::string_view setting) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(setting, is_control))
    throw common::usage_error(
        fmt::format("control characters in '{}'", common::printable_in_short(setting)));
}

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

}  // namespace

namespace {

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

}  // namespace

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

namespace {

/// Throws usage_error for a site file that sets an option to what it cannot be, whether or not this
/// run takes it.
void require_usable(const site_defaults& site);

/// What sets options besides the command line.
struct other_sources {
  bool variables = false;
  bool site_file = false;
};

/// Whether the command line asks for a run, and nothing else.
bool is_run(const CLI::App& app) {
  const auto is_given = [&](const char* option) { return app.count(option) > 0; };
  return app.get_subcommands().empty() && !is_given("--list") &&
         !is_given("--benchmark_list_tests");
}

/// Those that neither the command line nor variables set.
void take_site_defaults(CLI::App& app, settings& settings) {
  const auto site = read_site_file();
  if (!site) return;
  require_usable(*site);
  settings.site_file = common::printable(site->file.filename().string());
  settings.site_options = apply(*site, app);
}

/// Throws usage_error for an option without an effect in a mode that the command line chooses.
void refuse_without_effect(const option_table& table, bool is_fleet) {
  const auto& settings = table.settings;
  const auto is_given = [&](const char* name) {
    const auto* const option = table.app.get_option(name);
    return option->count() > 0 && !commands::may_be_of_environment(*option);
  };
  const bool lists = table.app.count("--list") > 0;
  const bool prints = is_given("--benchmark_format") ||
                      (common::is_standard_output(settings.out) && is_given("--out"));
  for (const auto& [chosen, is_chosen] :
       {std::pair(mode::list, lists),
        {mode::list_without_files, lists && !is_fleet},
        {mode::list_benchmarks, settings.list_benchmarks},
        {mode::benchmarks_without_files, settings.list_benchmarks && !is_fleet},
        {mode::without_cold, table.cache == "warm"},
        {mode::only_cold, table.cache == "cold" && is_given("--cold-sizes")},
        {mode::without_facts, settings.out_format == "csv" && is_given("--benchmark_out_format") &&
                                  settings.display_format != "json"},
        {mode::by_itself, is_fleet && !is_given("--mpi") && !rank_by_launcher(table.fleet) &&
                              !fleet::why_half_told(fleet::own_environment())},
        {mode::without_tables, settings.quiet},
        {mode::printed_otherwise, prints}})
    if (is_chosen) bench::refuse_without_effect(table.app, chosen);
}

/// Those that this program does not know are Google Benchmark's, or nobody's.
void take_others(const CLI::App& app, bool is_fleet, settings& settings) {
  for (const auto& extra : app.remaining()) {
    if (!extra.starts_with("--benchmark_"))
      throw is_fleet ? common::unknown_argument_of("fleet", extra, commands::option_names(app))
                     : common::unknown_argument(extra, commands::option_names(app), "--help");
    settings.for_google_benchmark.push_back(extra);
  }
}

void require_allowed(const option_table& table) {
  const auto& settings = table.settings;
  if (table.warmup_time != 0)
    throw common::usage_error(
        "--benchmark_min_warmup_time is not supported: every repetition warms up by itself");
  require_one_of("--cache", table.cache, {"warm", "cold", "both"});
  require_one_of("--benchmark_out_format", settings.out_format, {"json", "csv", "console"});
  if (!settings.display_format.empty())
    require_one_of("--benchmark_format", settings.display_format, {"json", "csv", "console"});
  if (table.app.count("--benchmark_repetitions") > 0 &&
      (table.repetitions < 1 || table.repetitions > 10000))
    throw common::usage_error(
        fmt::format("bad --benchmark_repetitions '{}': between 1 and 10000", table.repetitions));
  if (settings.out.ends_with(".csv") && settings.out_format == "json")
    throw common::usage_error(
        fmt::format("bad --out={}: a result file is JSON; bench_transfers export makes CSV of it",
                    common::printable_in_short(settings.out)));
}

/// With --sizes but without --cold-sizes: all sizes for --cache=cold, else the profile's cold sizes
/// that are among them.
void set_sizes(const option_table& table, const profile& defaults, settings& settings) {
  const auto known_memory = machine::total_memory_bytes();
  const auto memory = known_memory == 0 ? SIZE_MAX : known_memory;
  settings.own_sizes = !table.sizes.empty() || table.app.count("--sizes") > 0;
  settings.sizes = common::parse_sizes(settings.own_sizes ? table.sizes : defaults.sizes,
                                       settings.own_sizes ? memory : SIZE_MAX);
  settings.warm = table.cache != "cold";
  settings.cold = table.cache != "warm";
  if (table.app.count("--cold-sizes") > 0)
    settings.cold_sizes = common::parse_sizes(table.cold_sizes, memory);
  else if (table.cache == "cold" && settings.own_sizes)
    settings.cold_sizes = settings.sizes;
  else if (!defaults.cold_sizes.empty())
    for (const auto size : common::parse_sizes(defaults.cold_sizes, SIZE_MAX))
      if (std::ranges::find(settings.sizes, size) != settings.sizes.end())
        settings.cold_sizes.push_back(size);
}

/// How often and for how long each benchmark is timed.
void set_times(const option_table& table, const profile& defaults, settings& settings) {
  settings.rounds = table.repetitions > 0 ? table.repetitions : defaults.rounds;
  settings.min_time = table.min_time.empty() ? defaults.min_time : parse_min_time(table.min_time);
  if (!table.max_time.empty())
    settings.max_time = common::parse_duration("--max-time", table.max_time);
  // Who chooses something else has time for it.
  const bool is_usual = table.repetitions == 0 && table.min_time.empty() && !settings.own_sizes &&
                        settings.strategies.empty() && settings.filter.empty();
  if (is_usual) settings.time_of_turns = defaults.time_of_turns;
}

/// Google Benchmark's flags are those of one process, which prints what they ask for.
bool is_as_google_benchmark(const option_table& table) {
  const auto is_its_flag = [](const CLI::Option* option) {
    return option->count() > 0 && option->get_lnames().front().starts_with("benchmark_") &&
           option->get_lnames().back() != "out";
  };
  return !table.settings.for_google_benchmark.empty() ||
         std::ranges::any_of(table.app.get_options(), is_its_flag);
}

void set_processes(const option_table& table, settings& settings) {
  constexpr int usual = 3;
  if (table.app.count("--processes") > 0 &&
      (table.processes < 1 || table.processes > most_processes))
    throw common::usage_error(
        fmt::format("bad --processes '{}': between 1 and {}", table.processes, most_processes));
  const bool is_plain = !is_as_google_benchmark(table);
  if (table.processes > 1 && !is_plain && table.app.count("--processes") > 0)
    throw common::usage_error(fmt::format(
        "--processes={} does not go with --benchmark_... flags, which are those of one process",
        table.processes));
  if (is_plain) settings.processes = table.processes > 0 ? table.processes : usual;
  settings.processes = std::min(settings.processes, settings.rounds);
}

/// What is measured by these options.
parsed_command_line run_of(option_table& table, std::span<const char* const> argv, bool is_fleet) {
  auto& settings = table.settings;
  // Who names copies wants these, and not all the rest.
  if (!settings.concurrent.empty() && settings.strategies.empty())
    settings.strategies = {"concurrent"};
  take_others(table.app, is_fleet, settings);
  if (table.app.count("--v") > 0)
    settings.for_google_benchmark.push_back(fmt::format("--v={}", table.verbosity));
  if (table.app.count("--list") > 0)
    settings.list_strategies = parse_listing(table.listed, settings.strategies);
  require_allowed(table);
  settings.chose_out = !settings.out.empty() || !settings.display_format.empty();
  if (!is_fleet && common::is_standard_output(settings.out)) print_result(settings);

  const auto& defaults = find_profile(settings.profile_name);
  set_sizes(table, defaults, settings);
  // A filter may select strategies that are not in the profile.
  settings.essential_only = defaults.essential_only && settings.filter.empty();
  settings.sweep_only = defaults.sweep_only && settings.filter.empty();
  set_times(table, defaults, settings);
  if (!is_fleet) set_processes(table, settings);
  settings.seed = table.seed.empty() ? std::random_device{}() : parse_seed(table.seed);
  for (const auto& text : table.faults) settings.faults.push_back(parse_fault(text));
  settings.note = common::printable(settings.note);
  settings.options = measuring_options(table.app);
  settings.command_line = without_folders(std::vector<std::string>(argv.begin(), argv.end()));
  if (!table.process.empty()) become_process(table.process, settings);
  if (!is_fleet) return {.settings = settings};
  table.fleet.out = std::exchange(settings.out, "");
  check_fleet_request(table.fleet, settings);
  return {.settings = settings, .fleet = table.fleet};
}

/// Of a run: without the file that it may resume.
parsed_command_line parse(std::span<const char* const> argv, const other_sources& others) {
  const auto named = with_dashes_named(argv);
  const std::span<const char* const> given(named);
  const bool is_fleet = is_fleet_command(given);
  // The options of `fleet` are those of a run, and more.
  const auto arguments =
      is_fleet ? without_command(given) : std::vector(given.begin(), given.end());
  option_table table(is_fleet, others.variables);
  auto& app = table.app;
  auto& settings = table.settings;

  common::require_values(given);
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::CallForHelp&) {
    table.hide();
    return {.instead = answer{app.help()}};
  } catch (const completion::generated& file) {
    return {.instead = answer{file.text}};
  } catch (const CLI::CallForVersion& version) {
    return {.instead = answer{std::string(version.what()) + "\n"}};
  } catch (const CLI::ParseError& error) {
    throw common::usage_error(common::first_line(error.what()));
  }

  if (others.variables) refuse_without_effect(table, is_fleet);  // not of a file that is resumed
  if (others.site_file && !is_fleet && settings.resume.empty() && is_run(app)) {
    const bool asks_for_cold = app.count("--cold-sizes") > 0;
    take_site_defaults(app, settings);
    if (asks_for_cold && table.cache == "warm")
      bench::refuse_without_effect(app, mode::without_cold);
  }
  if (auto command = commands::chosen(app, table.commands, argv.size() > 1 ? argv[1] : ""))
    return {.command = std::move(command)};
  return run_of(table, argv, is_fleet);
}

void require_usable(const site_defaults& site) {
  for (const auto& [option, line] : site.defaults) try {
      const std::array<const char*, 2> arguments{"bench_transfers", option.c_str()};
      require_device_list(parse(arguments, {}).settings.device);
    } catch (const common::usage_error& error) {
      refuse_site_file(site.file, line, error.what());
    }
}

/// With the options of the file; what the command line says besides is checked before.
settings resumed_settings(const std::vector<std::string>& arguments, const earlier_run& earlier) {
  const auto all = resumed_arguments(arguments, earlier);
  std::vector<const char*> pointers;
  for (const auto& argument : all) pointers.push_back(argument.c_str());
  try {
    return parse(pointers, {}).settings;
  } catch (const common::usage_error& error) {
    throw common::usage_error(fmt::format("cannot resume {}: with its options: {}",
                                          common::printable(earlier.file().string()),
                                          error.what()));
  }
}

/// What the command line says of the files, and nothing else counts.
bench::settings files_of_resume(std::span<const char* const> argv) {
  option_table table(false, false);
  table.app.parse(static_cast<int>(argv.size()), argv.data());
  require_only_options_of_resume(table.app);
  refuse_without_effect(table, false);
  if (table.settings.out.empty()) table.settings.out = table.settings.resume;
  return table.settings;
}

parsed_command_line parse_resumed(std::span<const char* const> argv) {
  const std::vector<std::string> arguments(argv.begin(), argv.end());
  const auto files = files_of_resume(argv);
  const bool prints = common::is_standard_output(files.out);
  const auto resumed = std::make_shared<resumption>(files.resume, prints ? "" : files.out);
  auto settings = resumed_settings(arguments, resumed->earlier());
  settings.command_line = without_folders(arguments);
  if (!prints) settings.out = files.out;
  settings.chose_out = true;
  settings.processes = 1;
  settings.process.number = static_cast<int>(resumed->earlier().parts()) + 1;
  return {.settings = std::move(settings), .resumed = resumed};
}

}  // namespace

namespace {

/// Whether --resume is there, as an option: it may also be the value of another one, as in
/// "--note --resume". A command line that cannot be parsed is refused afterwards.
bool is_resumed(std::span<const char* const> argv) {
  if (is_fleet_command(argv)) return false;
  const auto given = with_dashes_named(argv);
  option_table table(false, false);
  try {
    table.app.parse(static_cast<int>(given.size()), given.data());
  } catch (const CLI::Error&) {
    return false;
  } catch (const completion::generated&) {
    return false;
  } catch (const common::usage_error&) {
    return false;
  }
  return table.app.count("--resume") > 0;
}

}  // namespace

parsed_command_line parse_command_line(int argc, const char* const* argv) {
  const std::span<const char* const> arguments(argv, static_cast<std::size_t>(argc));
  // A variable that a resumed run does not count must not stop it either.
  const bool is_new = !is_resumed(arguments);
  auto parsed = parse(arguments, {.variables = is_new, .site_file = is_new});
  return parsed.settings.resume.empty() ? parsed : parse_resumed(arguments);
}

namespace {

/// What may have been meant: flags that it takes, and those that the program takes in its place.
const std::set<std::string> names_of_google_benchmark{"--benchmark_color",
                                                      "--benchmark_context",
                                                      "--benchmark_counters_tabular",
                                                      "--benchmark_display_aggregates_only",
                                                      "--benchmark_enable_random_interleaving",
                                                      "--benchmark_filter",
                                                      "--benchmark_format",
                                                      "--benchmark_list_tests",
                                                      "--benchmark_min_time",
                                                      "--benchmark_out",
                                                      "--benchmark_out_format",
                                                      "--benchmark_perf_counters",
                                                      "--benchmark_repetitions",
                                                      "--benchmark_report_aggregates_only",
                                                      "--benchmark_time_unit"};

}  // namespace

void hand_to_google_benchmark(char* program, const settings& settings) {
  if (const auto* context = std::getenv("BENCHMARK_CONTEXT"))
    refuse_control_characters(fmt::format("BENCHMARK_CONTEXT={}", context));
  for (const auto& setting : settings.for_google_benchmark) refuse_control_characters(setting);
  std::vector<std::string> arguments{
      "--benchmark_out=", "--benchmark_list_tests=false",
      "--benchmark_filter=", "--benchmark_enable_random_interleaving=false"};
  arguments.insert(arguments.end(), settings.for_google_benchmark.begin(),
                   settings.for_google_benchmark.end());
  char* const slash = std::strrchr(program, '/');
  std::vector<char*> pointers{slash ? slash + 1 : program};  // as in result files
  for (auto& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  struct usage {};
  try {
    // Otherwise it answers an invalid value with its usage and exit code 0.
    benchmark::Initialize(&count, pointers.data(), [] { throw usage(); });
  } catch (const usage&) {
    throw common::usage_error(fmt::format("Google Benchmark rejects one of these settings: {}",
                                          fmt::join(google_benchmark_settings(settings), ", ")));
  }
  if (count > 1) throw common::unknown_argument(pointers[1], names_of_google_benchmark, "--help");
}

}  // namespace bench_transfers::bench
