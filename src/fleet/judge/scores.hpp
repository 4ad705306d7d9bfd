#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// How much slower a GPU is than its peers in one aspect, as a logarithm of times: 0.03 is 3 %.
/// Each is compared with the same of the peers.
struct score {
  double usual = 0;      ///< by the median of all repetitions
  double lasting = 0;    ///< by their lower quartile
  double fastest = 0;    ///< by the fastest one
  double worst_run = 0;  ///< by the median of its slowest run
  double error = 0;      ///< standard error of `usual`, by how the benchmarks differ
};
inline constexpr double score::*compared_members[] = {&score::usual, &score::lasting,
                                                      &score::fastest, &score::worst_run};

/// sqrt(pi / 2): the standard error of a median, as a multiple of that of the mean.
inline constexpr double of_median = 1.2533;

/// The logarithm of the median of all repetitions; none if there are none.
std::optional<double> usual_cost(const benchmark_times& runs);

/// The aspects that the sweep's benchmarks show.
std::set<aspect> aspects_of(const sweep& sweep);

/// Of these benchmarks those that more than half of the peers have measured. Others have too little
/// to be compared with.
std::vector<std::size_t> compared_benchmarks(const sweep& sweep,
                                             const std::vector<std::size_t>& benchmarks,
                                             const std::vector<std::size_t>& gpus);

/// How far peers are from their median in single benchmarks. Each benchmark is worked out once: it
/// counts in its aspect and by itself.
class benchmark_distances {
 public:
  /// Sweep and GPUs must live longer.
  benchmark_distances(const sweep& sweep, const std::vector<std::size_t>& gpus);

  /// By GPU; none where it was not measured.
  const std::vector<std::optional<score>>& in(std::size_t benchmark);
  [[nodiscard]] const fleet::sweep& sweep() const { return sweep_; }
  [[nodiscard]] const std::vector<std::size_t>& gpus() const { return gpus_; }

 private:
  const fleet::sweep& sweep_;
  const std::vector<std::size_t>& gpus_;
  std::map<std::size_t, std::vector<std::optional<score>>> known_;
};

/// The scores of peers in the benchmarks that can be compared: the medians, over those, of their
/// distances from the median of all of them. None for a GPU that has measured less than half of
/// them.
std::vector<std::optional<score>> scores_of(benchmark_distances& distances,
                                            const std::vector<std::size_t>& benchmarks);

/// The sweep's benchmarks that show an aspect.
std::vector<std::size_t> benchmarks_of(const sweep& sweep, const aspect& aspect);

}  // namespace bench_transfers::fleet
