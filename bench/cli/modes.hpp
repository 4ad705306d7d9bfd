#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

namespace bench_transfers::bench {

/// What a command line asks for, as far as options may be without an effect there: each option
/// names its modes where it is described (options.cpp).
enum class mode {
  list,                      ///< --list
  list_without_files,        ///< likewise, but not of `fleet`, whose --out is a folder of all
  list_benchmarks,           ///< --benchmark_list_tests
  benchmarks_without_files,  ///< likewise, but not of `fleet`
  without_cold,              ///< --cache=warm
  only_cold,                 ///< --cache=cold, with sizes of its own
  by_itself,                 ///< fleet without a launcher and without --mpi
  without_tables,            ///< --quiet
  printed_otherwise,         ///< --out=-, --benchmark_format
  without_facts,             ///< --benchmark_out_format=csv
};

/// It shows what there is, of these devices and strategies.
inline constexpr std::initializer_list<mode> any_list{mode::list, mode::list_benchmarks};

struct mode_of_run {
  mode kind;
  std::string_view words;  ///< that choose it
  bool is_chosen;
};

class option_table;

/// All modes.
std::vector<mode_of_run> modes_of(const option_table& table);

}  // namespace bench_transfers::bench
