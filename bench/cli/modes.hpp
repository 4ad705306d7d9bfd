#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string_view>

namespace bench_transfers::bench {

/// What a command line asks for, as far as options may be without an effect there.
enum class mode {
  list,               ///< --list
  list_benchmarks,    ///< --benchmark_list_tests
  without_cold,       ///< --cache=warm
  without_tables,     ///< --quiet
  printed_otherwise,  ///< --out=-, --benchmark_format
};

/// A mode, by the words that choose it, and the options that have no effect in it.
struct mode_of_options {
  mode chosen;
  std::string_view words;
  std::span<const std::string_view> without_effect;
};

/// All of them.
std::span<const mode_of_options> modes_of_options();

/// Throws usage_error for the first option of the command line without an effect in a mode. What
/// variables set does not count, nor does --out of `fleet`, which names the folder of all ranks.
void refuse_without_effect(const CLI::App& app, mode chosen, bool is_fleet);

}  // namespace bench_transfers::bench
