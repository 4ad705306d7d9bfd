#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/result_file/benchmark_class.hpp"

// Each round of a run repeats a few short operations, the sentinels. What slows them in some rounds
// only, such as another virtual machine of the host, has slowed the benchmarks of these rounds.

namespace bench_transfers::result_file {

/// An operation that each round repeats.
enum class sentinel {
  h2d,        ///< a copy from page-locked memory
  d2h,        ///< a copy to it
  cpu_read,   ///< one thread reads page-locked memory that is in no cache
  small_copy  ///< a copy of a page from page-locked memory, and its wait
};

inline constexpr std::array all_sentinels{sentinel::h2d, sentinel::d2h, sentinel::cpu_read,
                                          sentinel::small_copy};

std::string to_string(sentinel kind);

/// The class of the benchmarks that it stands for.
benchmark_class stands_for(sentinel kind, bool on_host);

/// The times of a sentinel in one round of a process.
struct sentinel_readings {
  int process = 1;
  int round = 1;           ///< of the process, from 1
  std::size_t device = 0;  ///< index into the run's list of devices
  sentinel kind = sentinel::h2d;
  std::size_t bytes = 0;   ///< of one operation
  std::vector<double> ns;  ///< of one operation each, in the order of time; above zero
};

nlohmann::ordered_json to_json(const sentinel_readings& readings);

/// Those of a file, by its context.transfers; none in files of older releases. Throws bad_entry.
std::vector<sentinel_readings> sentinels_in(const nlohmann::ordered_json& facts);

}  // namespace bench_transfers::result_file
