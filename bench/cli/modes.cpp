#include "bench/cli/modes.hpp"

#include <array>
#include <span>
#include <string_view>

#include "src/command/options.hpp"

namespace bench_transfers::bench {
namespace {

template <std::size_t Count>
using options = std::array<std::string_view, Count>;

/// It shows what there is, of these devices and strategies.
constexpr options<26> not_listed{"--profile",
                                 "--processes",
                                 "--sizes",
                                 "--cold-sizes",
                                 "--cache",
                                 "--seed",
                                 "--max-time",
                                 "--label",
                                 "--note",
                                 "--brief",
                                 "--quiet",
                                 "--sweep",
                                 "--rack",
                                 "--mpi",
                                 "--wait",
                                 "--ranks-per-node",
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
constexpr options<13> not_in_list_of_benchmarks{
    "--processes", "--seed", "--max-time", "--label", "--note",   "--brief",         "--quiet",
    "--sweep",     "--rack", "--mpi",      "--wait",  "--inject", "--ranks-per-node"};

constexpr options<1> of_files{"--out"};
constexpr options<1> of_cold_caches{"--cold-sizes"};
constexpr options<1> of_warm_caches{"--sizes"};
constexpr options<1> of_tables{"--brief"};
constexpr options<2> of_facts{"--label", "--note"};
constexpr options<2> of_other_ranks{"--wait", "--ranks-per-node"};

constexpr options<8> of_result_files{"--for",  "--reuse",     "--cpu-writes", "--cpu-reads",
                                     "--from", "--of-device", "--map",        "--check"};
constexpr options<2> of_copies{"--map", "--check"};
constexpr options<3> of_memory{"--reuse", "--cpu-writes", "--cpu-reads"};
constexpr options<3> of_questions{"--bytes", "--direction", "--reuse"};
constexpr options<2> of_accesses{"--cpu-writes", "--cpu-reads"};
constexpr options<3> of_answers{"--direction", "--reuse", "--json"};

/// A mode, the words that choose it, and the options that have no effect in it.
struct mode_of_options {
  mode chosen;
  std::string_view words;
  std::span<const std::string_view> without_effect;
};

constexpr std::array<mode_of_options, 16> modes{
    {{mode::list, "--list", not_listed},
     {mode::list_without_files, "--list", of_files},
     {mode::list_benchmarks, "--benchmark_list_tests", not_in_list_of_benchmarks},
     {mode::benchmarks_without_files, "--benchmark_list_tests", of_files},
     {mode::without_cold, "--cache=warm", of_cold_caches},
     {mode::only_cold, "--cache=cold and --cold-sizes", of_warm_caches},
     {mode::by_itself, "a process that no launcher has started", of_other_ranks},
     {mode::without_tables, "--quiet", of_tables},
     {mode::printed_otherwise, "a result on standard output", of_tables},
     {mode::without_facts, "--benchmark_out_format=csv", of_facts},
     {mode::advise_at_once, "--host-map", of_result_files},
     {mode::advise_role, "--for=ROLE", of_copies},
     {mode::advise_without_memory, "--for=ROLE of a role that has no costs of memory", of_memory},
     {mode::advise_check, "--check", of_questions},
     {mode::advise_check_alone, "--check alone", of_accesses},
     {mode::advise_map, "--map alone", of_answers}}};

}  // namespace

void refuse_without_effect(const CLI::App& app, mode chosen) {
  for (const auto& [candidate, words, options] : modes)
    if (candidate == chosen)
      commands::refuse_without_effect(app, {options.begin(), options.end()}, words);
}

}  // namespace bench_transfers::bench
