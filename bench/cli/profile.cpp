#include "bench/cli/profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "bench/cli/options.hpp"
#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/machine/machine.hpp"

namespace bench_transfers::bench {
namespace {

using namespace std::chrono_literals;

const std::array<profile, 6>& profiles() {
  static const std::array<profile, 6> list{{
      {"quick", "4B,4KiB,64KiB,1MiB,16MiB,128MiB", "1MiB", true, 9, 3ms},
      {"standard", "4B:1GiB:x4", "64KiB,1MiB,16MiB", false, 9, 6ms},
      {"full", "4B:1GiB:x2", "4KiB:64MiB:x4", false, 21, 20ms},
      // Of many nodes at a time: links, host and latency, each in a few benchmarks. The turns of a
      // node take two thirds of a minute at most.
      {"sweep", "4B,64KiB,4MiB,16MiB,64MiB", "", false, 5, 6ms, true, 40s},
      // Whether page-locked memory is slow for the CPU, and what the flag WRITECOMBINED does.
      {"wc", "1MiB,16MiB,256MiB", "1MiB,16MiB", false, 9, 3ms, true},
      // What copies and other calls cost the work beside them.
      {"company", "64MiB", "", false, 3, 3ms, true},
  }};
  return list;
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

/// With --sizes but without --cold-sizes: all sizes where --cache leaves out warm, else the
/// profile's cold sizes that are among them.
void set_sizes(option_table& table, const profile& defaults) {
  auto& settings = table.settings;
  const auto known_memory = machine::total_memory_bytes();
  const auto memory = known_memory == 0 ? SIZE_MAX : known_memory;
  settings.own_sizes = !table.sizes.empty() || table.app.count("--sizes") > 0;
  settings.sizes = common::parse_sizes(settings.own_sizes ? table.sizes : defaults.sizes,
                                       settings.own_sizes ? memory : SIZE_MAX);
  if (table.app.count("--cold-sizes") > 0)
    settings.cold_sizes = common::parse_sizes(table.cold_sizes, memory);
  else if (!settings.is_measured(result_file::cache_state::warm) && settings.own_sizes)
    settings.cold_sizes = settings.sizes;
  else if (!defaults.cold_sizes.empty())
    for (const auto size : common::parse_sizes(defaults.cold_sizes, SIZE_MAX))
      if (std::ranges::find(settings.sizes, size) != settings.sizes.end())
        settings.cold_sizes.push_back(size);
}

/// How often and for how long each benchmark is timed.
void set_times(option_table& table, const profile& defaults) {
  auto& settings = table.settings;
  settings.rounds = table.repetitions > 0 ? table.repetitions : defaults.rounds;
  settings.min_time = table.min_time.empty() ? defaults.min_time : parse_min_time(table.min_time);
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

void set_processes(option_table& table) {
  auto& settings = table.settings;
  constexpr int usual = 3;
  const bool is_plain = !is_as_google_benchmark(table);
  if (table.processes > 1 && !is_plain && table.app.count("--processes") > 0)
    throw common::usage_error(fmt::format(
        "--processes={} does not go with --benchmark_... flags, which are those of one process",
        table.processes));
  if (is_plain) settings.processes = table.processes > 0 ? table.processes : usual;
  settings.processes = std::min(settings.processes, settings.rounds);
}

}  // namespace

const profile& find_profile(const std::string& name) {
  for (const auto& candidate : profiles())
    if (candidate.name == name) return candidate;
  throw common::usage_error(
      fmt::format("unknown profile '{}': {}", name, fmt::join(profile_names(), ", ")));
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const auto& candidate : profiles()) names.push_back(candidate.name);
  return names;
}

void set_by_profile(option_table& table) {
  auto& settings = table.settings;
  const auto& defaults = find_profile(settings.profile_name);
  set_sizes(table, defaults);
  // A filter may select strategies that are not in the profile.
  settings.essential_only = defaults.essential_only && settings.filter.empty();
  settings.chosen_for = defaults.chosen_only && settings.filter.empty() ? defaults.name : "";
  set_times(table, defaults);
  if (!table.is_fleet) set_processes(table);
}

}  // namespace bench_transfers::bench
