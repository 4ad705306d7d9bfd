#include "bench/cli/modes.hpp"

#include <algorithm>

#include "bench/cli/option_values.hpp"
#include "bench/cli/options.hpp"
#include "src/command/options.hpp"
#include "src/common/writing.hpp"

namespace bench_transfers::bench {

using result_file::cache_state;

std::vector<mode_of_run> modes_of(const option_table& table) {
  const auto& settings = table.settings;
  const auto is_given = [&](const char* name) {
    const auto* const option = table.app.get_option(name);
    return option->count() > 0 && !commands::may_be_of_environment(*option);
  };
  const auto states = parse_cache_states(table.cache);
  const bool lists = table.app.count("--list") > 0;
  const bool prints = is_given("--benchmark_format") ||
                      (common::is_standard_output(settings.out) && is_given("--out"));
  const bool is_by_itself = table.is_fleet && !is_given("--mpi") &&
                            !rank_by_launcher(table.fleet) &&
                            !fleet::why_half_told(fleet::own_environment());
  const bool keeps_no_facts = settings.out_format == "csv" && is_given("--benchmark_out_format") &&
                              settings.display_format != "json";
  return {
      {mode::list, "--list", lists},
      {mode::list_without_files, "--list", lists && !table.is_fleet},
      {mode::list_benchmarks, "--benchmark_list_tests", settings.list_benchmarks},
      {mode::benchmarks_without_files, "--benchmark_list_tests",
       settings.list_benchmarks && !table.is_fleet},
      {mode::without_cold, "--cache=warm", states == std::vector{cache_state::warm}},
      {mode::only_cold, "--cache without warm, and --cold-sizes",
       std::ranges::find(states, cache_state::warm) == states.end() && is_given("--cold-sizes")},
      {mode::without_facts, "--benchmark_out_format=csv", keeps_no_facts},
      {mode::by_itself, "a process that no launcher has started", is_by_itself},
      {mode::without_tables, "--quiet", settings.quiet},
      {mode::printed_otherwise, "a result on standard output", prints}};
}

}  // namespace bench_transfers::bench
