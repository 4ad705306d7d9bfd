#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/gate/judge/compare.hpp"
#include "src/gate/judge/estimate.hpp"

namespace bench_transfers::gate {

/// New processes that are much slower, of one benchmark.
struct slow_sighting {
  gate::sighting state = sighting::none;
  std::size_t processes = 0;
};

/// Looks for processes that are slower than the slowest of the baseline by three thresholds and six
/// standard deviations. Such a process is nothing new where the baseline's own slowest processes
/// stand out as far, so often that one would be expected among the new ones, too; where several
/// looks have one, chance must also be a likely reason for so many. It is seen again if a later
/// look has one, and if chance explains so many in any benchmark with a probability of less than
/// `rate` at the pace of the baseline. In a class that decides, also at that of the new processes,
/// of which only those of benchmarks with a single one count. (A class that vetoes has limits that
/// neighbours seldom reach.)
std::vector<slow_sighting> sightings(std::span<const estimate> benchmarks, double rate,
                                     bool is_vetoing);

/// Three thresholds.
double much_slower(const estimate& benchmark);

}  // namespace bench_transfers::gate
