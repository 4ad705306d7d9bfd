#pragma once

#include <CLI/CLI.hpp>

namespace bench_transfers::bench {

/// What a command line asks for, as far as options may be without an effect there.
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
  advise_at_once,            ///< advise --host-map
  advise_role,               ///< advise --for, but for copies
  advise_without_memory,     ///< likewise of a role that has no costs of memory
  advise_check,              ///< advise --check
  advise_check_alone,        ///< likewise, without --map
  advise_map                 ///< advise --map without --bytes and --check
};

/// Throws usage_error for the first option of the program's or command's line without an effect in
/// the mode. What variables set does not count.
void refuse_without_effect(const CLI::App& app, mode chosen);

}  // namespace bench_transfers::bench
