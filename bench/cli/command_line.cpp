#include "bench/cli/command_line.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <random>
#include <set>
#include <span>
#include <utility>

#include "provenance.hpp"
#include "src/common/command_line.hpp"
#include "src/common/outputs.hpp"
#include "src/common/printable.hpp"
#include "src/machine/machine.hpp"

namespace bench_transfers::bench {
namespace {

using namespace std::chrono_literals;

const std::array<profile, 4>& profiles() {
  static const std::array<profile, 4> list{{
      {"quick", "4B,4KiB,64KiB,1MiB,16MiB,128MiB", "1MiB", true, 9, 3ms},
      {"standard", "4B:1GiB:x4", "64KiB,1MiB,16MiB", false, 10, 6ms},
      {"full", "4B:1GiB:x2", "4KiB:64MiB:x4", false, 20, 20ms},
      // Of many nodes at a time: links, host and latency, each in a few benchmarks. The turns of a
      // node take two thirds of a minute at most.
      {"sweep", "4B,64KiB,4MiB,16MiB,64MiB", "", false, 5, 6ms, true, 40s},
  }};
  return list;
}

const profile& find_profile(const std::string& name) {
  for (const auto& candidate : profiles())
    if (candidate.name == name) return candidate;
  throw common::usage_error(
      fmt::format("unknown profile '{}': quick, standard, full or sweep", name));
}

std::string footer(bool is_fleet) {
  const std::string devices =
      is_fleet
          ? "Devices: by default the GPU of the local rank. Of a list, such as cuda:0,2-3, each "
            "rank\n"
            "takes its own; host measures without a GPU (copies within memory).\n"
          : "Devices: auto (first GPU, otherwise host), all (every GPU), cuda:N, host (no GPU: "
            "copies\n"
            "within memory), or several: cuda:0,2-3. Names of benchmarks then end in @cuda:N.\n";
  return devices +
         "Google Benchmark's flags work too: --benchmark_filter=REGEX, --benchmark_repetitions=N,\n"
         "--benchmark_min_time=SECONDS, --benchmark_list_tests, "
         "--benchmark_format=json|csv|console, ...\n"
         "Exit codes: 0 all ran, 1 something failed, 2 usage, 3 nothing ran, 130/143 interrupted.";
}

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
  if (!word.empty()) require_one_of("--list", word, {"families", "all"});
  if (word.empty()) return strategies.empty() ? listing::families : listing::strategies;
  return word == "all" ? listing::strategies : listing::families;
}

void add_label(settings& settings, const std::string& text) {
  const auto end = text.find('=');
  const auto key = text.substr(0, end);
  const auto is_of_names = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter == '-' || letter == '.';
  };
  if (end == std::string::npos || key.empty() || !std::ranges::all_of(key, is_of_names))
    throw common::usage_error(
        fmt::format("bad --label '{}': KEY=VALUE, with letters, digits, _, - and . in KEY",
                    common::printable_in_short(text)));
  if (!settings.labels.emplace(key, common::printable(text.substr(end + 1))).second)
    throw common::usage_error(fmt::format("--label={} is there twice", key));
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

/// Of its options and commands.
std::set<std::string> names_of(const CLI::App& app) {
  std::set<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.insert("--" + name);
  for (const auto* command : app.get_subcommands(nullptr)) names.insert(command->get_name());
  return names;
}

/// Throws usage_error unless the subcommand comes first and knows all arguments.
void require_alone(const CLI::App& app, const CLI::App& command, std::string_view first) {
  const auto& name = command.get_name();
  if (first != name)
    throw common::usage_error(
        fmt::format("{0} comes first and takes options of its own (see {0} --help)", name));
  if (!app.remaining(true).empty())
    throw common::unknown_argument(app.remaining(true).front(), names_of(command),
                                   name + " --help");
}

}  // namespace

std::vector<std::string> without_folders(std::vector<std::string> command_line) {
  const auto name = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  bool path_follows = true;  // the program's own
  for (auto& argument : command_line) {
    const bool is_path = std::exchange(path_follows, false);
    for (const std::string option : {"--out", "--benchmark_out"}) {
      if (argument == option)
        path_follows = true;
      else if (argument.starts_with(option + "="))
        argument = option + "=" + name(argument.substr(option.size() + 1));
    }
    if (is_path) argument = name(argument);
  }
  return command_line;
}

parsed_command_line parse_command_line(int argc, const char* const* argv) {
  settings settings;
  std::string sizes;
  std::string cold_sizes;
  std::string cache = "both";
  std::string min_time;
  int repetitions = 0;
  std::string seed;
  int verbosity = 0;
  double warmup_time = 0;
  std::string listed;
  std::vector<std::string> faults;

  const auto named = with_sides_named({argv, static_cast<std::size_t>(argc)});
  const std::span<const char* const> given(named);
  const bool is_fleet = is_fleet_command(given);
  // The options of `fleet` are those of a run, and more.
  const auto arguments =
      is_fleet ? without_command(given) : std::vector(given.begin(), given.end());
  if (is_fleet) settings.profile_name = "sweep";
  CLI::App app{is_fleet ? fleet_description()
                        : "Measures host-device memory transfers, strategy by strategy.",
               is_fleet ? "bench_transfers fleet" : "bench_transfers"};
  app.allow_extras();
  app.option_defaults()->take_last();  // as in Google Benchmark
  app.get_formatter()->column_width(32);
  app.footer(footer(is_fleet));
  app.set_version_flag("--version", [] {
    return fmt::format("bench_transfers {} ({}, {}, CUDA {})", provenance::version,
                       *provenance::git_commit ? provenance::git_commit : "no commit known",
                       provenance::compiler,
                       *provenance::cuda_toolkit ? provenance::cuda_toolkit : "not built in");
  });
  app.add_option("--device", settings.device,
                 "auto, all, cuda:N, host, host:N, host:N@LINK=10GB/s, or a list")
      ->type_name("DEVICE");
  app.add_option("--profile", settings.profile_name,
                 is_fleet ? "sweep (the default), quick, standard or full"
                          : "quick, standard (the default), full or sweep")
      ->type_name("NAME");
  app.add_option("--sizes", sizes, "4KiB:1GiB:x4 or a list such as 4KiB,1MiB")->type_name("SIZES");
  app.add_option("--cold-sizes", cold_sizes, "sizes also measured with cold caches")
      ->type_name("SIZES");
  app.add_option("--cache", cache, "warm, cold or both")->type_name("STATE");
  app.add_option("--strategies", settings.strategies,
                 "names, families or patterns: copy/pinned/h2d,zero_copy,'*/pinned'")
      ->delimiter(',')
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("LIST");
  app.add_option("--concurrent", settings.concurrent,
                 "only these copies at once: cuda:0:h2d[:MEMORY]+cuda:1:d2h[:MEMORY]")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("COPIES");
  app.add_option("--seed", seed, "seed of test data and order (default: random; recorded)")
      ->type_name("N");
  const auto* const list =
      app.add_option("--list", listed, "list the families; --list=all: what each strategy needs")
          ->expected(0, 1)
          ->type_name("");
  app.add_option("--benchmark_out,--out", settings.out,
                 is_fleet ? "write DIR/NODE/GPU.json (required)"
                          : "result file (default: bench_transfers-TIME.json here); - prints it")
      ->type_name(is_fleet ? "DIR" : "FILE")
      ->envname("BENCHMARK_OUT");

  app.add_option_function<std::string>(
         "--label", [&](const std::string& text) { add_label(settings, text); },
         "a fact for the result file; may be repeated")
      ->trigger_on_parse()
      ->type_name("KEY=VALUE");
  app.add_option("--note", settings.note, "a sentence for the result file")->type_name("TEXT");
  app.add_flag("--quiet", settings.quiet, "print neither progress nor tables");

  fleet_request fleet;
  if (is_fleet) add_fleet_options(app, fleet);
  advice_request advice;
  map_request map;
  doctor_request doctor;
  const auto* const advise_command = is_fleet ? nullptr : add_advise(app, advice);
  const auto* const map_command = is_fleet ? nullptr : add_map(app, map);
  const auto* const doctor_command = is_fleet ? nullptr : add_doctor(app, doctor);
  const auto* const fleet_command = is_fleet ? nullptr : add_fleet(app);
  export_request exported;
  comparison_request compared;
  const auto* const export_command = is_fleet ? nullptr : add_export(app, exported);
  const auto* const compare_command = is_fleet ? nullptr : add_compare(app, compared);

  const std::string hidden = "Not in --help";
  app.add_option("--inject", faults)
      ->group(hidden)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--benchmark_filter", settings.filter)->group(hidden)->envname("BENCHMARK_FILTER");
  app.add_flag("--benchmark_list_tests", settings.list_benchmarks)->group(hidden);
  app.add_option("--benchmark_repetitions", repetitions)
      ->group(hidden)
      ->envname("BENCHMARK_REPETITIONS");
  app.add_option("--benchmark_min_time", min_time)->group(hidden)->envname("BENCHMARK_MIN_TIME");
  app.add_flag("--benchmark_enable_random_interleaving", settings.shuffle)->group(hidden);
  app.add_option("--benchmark_min_warmup_time", warmup_time)
      ->group(hidden)
      ->envname("BENCHMARK_MIN_WARMUP_TIME");
  app.add_option("--v", verbosity)->group(hidden);
  app.add_option("--benchmark_out_format", settings.out_format)
      ->group(hidden)
      ->envname("BENCHMARK_OUT_FORMAT");
  app.add_option("--benchmark_format", settings.display_format)
      ->group(hidden)
      ->envname("BENCHMARK_FORMAT");
  app.add_flag("--benchmark_report_aggregates_only", settings.out_aggregates_only)->group(hidden);
  app.add_flag("--benchmark_display_aggregates_only", settings.display_aggregates_only)
      ->group(hidden);

  common::require_values(given);
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::CallForHelp&) {
    // An empty group keeps options out of the help, but would also take their names out of errors.
    for (auto* const option :
         app.get_options([&](const CLI::Option* added) { return added->get_group() == hidden; }))
      option->group("");
    return {.instead = answer{app.help()}};
  } catch (const CLI::CallForVersion& version) {
    return {.instead = answer{std::string(version.what()) + "\n"}};
  } catch (const CLI::ParseError& error) {
    throw common::usage_error(common::first_line(error.what()));
  }

  // Who names copies wants these, and not all the rest.
  if (!settings.concurrent.empty() && settings.strategies.empty())
    settings.strategies = {"concurrent"};
  if (advise_command && advise_command->parsed()) {
    if (argv[1] != advise_command->get_name())
      throw common::usage_error(
          "advise comes first and takes options of its own (see advise --help)");
    check_advice_request(advice, *advise_command);
    return {.advice = advice};
  }
  if (map_command && map_command->parsed()) {
    require_alone(app, *map_command, argv[1]);
    return {.map = map};
  }
  if (doctor_command && doctor_command->parsed()) {
    require_alone(app, *doctor_command, argv[1]);
    return {.doctor = doctor};
  }
  if (export_command && export_command->parsed()) {
    require_alone(app, *export_command, argv[1]);
    return {.exported = exported};
  }
  if (compare_command && compare_command->parsed()) {
    require_alone(app, *compare_command, argv[1]);
    return {.compared = compared};
  }
  if (fleet_command && fleet_command->parsed())
    throw common::usage_error("fleet comes first (see fleet --help)");
  for (const auto& extra : app.remaining()) {
    if (!extra.starts_with("--benchmark_"))
      throw common::unknown_argument(extra, names_of(app), "--help");
    settings.for_google_benchmark.push_back(extra);
  }
  if (app.count("--v") > 0)
    settings.for_google_benchmark.push_back(fmt::format("--v={}", verbosity));
  if (warmup_time != 0)
    throw common::usage_error(
        "--benchmark_min_warmup_time is not supported: every repetition warms up by itself");
  if (list->count() > 0) settings.list_strategies = parse_listing(listed, settings.strategies);
  require_one_of("--cache", cache, {"warm", "cold", "both"});
  require_one_of("--benchmark_out_format", settings.out_format, {"json", "csv", "console"});
  if (!settings.display_format.empty())
    require_one_of("--benchmark_format", settings.display_format, {"json", "csv", "console"});
  if (app.count("--benchmark_repetitions") > 0 && (repetitions < 1 || repetitions > 10000))
    throw common::usage_error(
        fmt::format("bad --benchmark_repetitions '{}': between 1 and 10000", repetitions));

  settings.chose_out = !settings.out.empty() || !settings.display_format.empty();
  if (!is_fleet && common::is_standard_output(settings.out)) print_result(settings);

  const auto& defaults = find_profile(settings.profile_name);
  const auto known_memory = machine::total_memory_bytes();
  const auto memory = known_memory == 0 ? SIZE_MAX : known_memory;
  settings.own_sizes = !sizes.empty() || app.count("--sizes") > 0;
  settings.sizes = common::parse_sizes(settings.own_sizes ? sizes : defaults.sizes,
                                       settings.own_sizes ? memory : SIZE_MAX);
  settings.warm = cache != "cold";
  settings.cold = cache != "warm";
  // With --sizes but without --cold-sizes: all sizes for --cache=cold, else the profile's cold
  // sizes that are among them.
  if (app.count("--cold-sizes") > 0)
    settings.cold_sizes = common::parse_sizes(cold_sizes, memory);
  else if (cache == "cold" && settings.own_sizes)
    settings.cold_sizes = settings.sizes;
  else if (!defaults.cold_sizes.empty())
    for (const auto size : common::parse_sizes(defaults.cold_sizes, SIZE_MAX))
      if (std::ranges::find(settings.sizes, size) != settings.sizes.end())
        settings.cold_sizes.push_back(size);
  // A filter may select strategies that are not in the profile.
  settings.essential_only = defaults.essential_only && settings.filter.empty();
  settings.sweep_only = defaults.sweep_only && settings.filter.empty();
  settings.rounds = repetitions > 0 ? repetitions : defaults.rounds;
  settings.min_time = min_time.empty() ? defaults.min_time : parse_min_time(min_time);
  // Who chooses something else has time for it.
  const bool is_usual = repetitions == 0 && min_time.empty() && !settings.own_sizes &&
                        settings.strategies.empty() && settings.filter.empty();
  if (is_usual) settings.time_of_turns = defaults.time_of_turns;
  settings.seed = seed.empty() ? std::random_device{}() : parse_seed(seed);
  for (const auto& text : faults) settings.faults.push_back(parse_fault(text));
  settings.note = common::printable(settings.note);
  settings.command_line = without_folders(std::vector<std::string>(argv, argv + argc));
  if (is_fleet) {
    fleet.out = std::exchange(settings.out, "");
    check_fleet_request(fleet, settings);
  }
  return {.settings = settings, .fleet = is_fleet ? std::optional(fleet) : std::nullopt};
}

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
  if (count > 1)
    throw common::usage_error(fmt::format("unknown argument '{}' (see --help)", pointers[1]));
}

}  // namespace bench_transfers::bench
