#include "bench/cli/google_flags.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/common/program.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::bench {
namespace {

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
