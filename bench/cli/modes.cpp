#include "bench/cli/modes.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string>

#include "src/common/command_line.hpp"

namespace bench_transfers::bench {
namespace {

/// It shows what there is, of these devices and strategies.
constexpr std::array<std::string_view, 21> not_listed{"--profile",
                                                      "--sizes",
                                                      "--cold-sizes",
                                                      "--cache",
                                                      "--seed",
                                                      "--max-time",
                                                      "--out",
                                                      "--label",
                                                      "--note",
                                                      "--brief",
                                                      "--quiet",
                                                      "--inject",
                                                      "--benchmark_filter",
                                                      "--benchmark_list_tests",
                                                      "--benchmark_repetitions",
                                                      "--benchmark_min_time",
                                                      "--benchmark_enable_random_interleaving",
                                                      "--benchmark_out_format",
                                                      "--benchmark_format",
                                                      "--benchmark_report_aggregates_only",
                                                      "--benchmark_display_aggregates_only"};

/// Google Benchmark takes its own flags here, so they are no mistake.
constexpr std::array<std::string_view, 6> not_in_list_of_benchmarks{
    "--max-time", "--out", "--label", "--note", "--brief", "--quiet"};

constexpr std::array<std::string_view, 1> of_cold_caches{"--cold-sizes"};
constexpr std::array<std::string_view, 1> of_tables{"--brief"};

constexpr std::array modes{
    mode_of_options{mode::list, "--list", not_listed},
    mode_of_options{mode::list_benchmarks, "--benchmark_list_tests", not_in_list_of_benchmarks},
    mode_of_options{mode::without_cold, "--cache=warm", of_cold_caches},
    mode_of_options{mode::without_tables, "--quiet", of_tables},
    mode_of_options{mode::printed_otherwise, "a result on standard output", of_tables}};

/// Whether it may be there because of its variable alone.
bool may_be_of_environment(const CLI::Option& option) {
  const auto name = option.get_envname();
  return !name.empty() && std::getenv(name.c_str()) != nullptr;
}

}  // namespace

std::span<const mode_of_options> modes_of_options() { return modes; }

void refuse_without_effect(const CLI::App& app, mode chosen, bool is_fleet) {
  for (const auto& [candidate, words, without_effect] : modes) {
    if (candidate != chosen) continue;
    for (const auto name : without_effect) {
      const auto* const option = app.get_option_no_throw(std::string(name));
      if (option == nullptr || option->count() == 0 || may_be_of_environment(*option)) continue;
      if (is_fleet && name == "--out") continue;
      throw common::usage_error(fmt::format("{} has no effect with {}", name, words));
    }
  }
}

}  // namespace bench_transfers::bench
