#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "src/fleet/judge/judge.hpp"
#include "src/fleet/judge/peers.hpp"
#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::simulation {

/// What the parts of a sweep differ by, as logarithms of times, without those that are named.
class residuals {
 public:
  residuals(const fleet::sweep& sweep, const fleet::judgement& judged);

  /// A sweep with the same GPUs, each with `runs` runs, whose differences are drawn anew.
  [[nodiscard]] fleet::sweep draw(std::size_t runs, std::mt19937_64& random) const;

 private:
  using effects = std::vector<double>;  ///< by benchmark
  struct differences {
    fleet::peers alike;
    effects centre;
    std::vector<effects> of_nodes, of_gpus;
    /// Of healthy GPUs: by benchmark and run, of all their repetitions.
    std::vector<std::vector<fleet::benchmark_times>> of_repetitions;
  };

  [[nodiscard]] differences differences_of(const fleet::peers& alike,
                                           const fleet::judgement& judged) const;
  void measure(const differences& model, const effects& of_node, std::size_t index,
               std::size_t runs, std::mt19937_64& random, std::mt19937_64& random_of_repetitions,
               fleet::gpu& gpu) const;

  const fleet::sweep& sweep_;
  std::vector<differences> models_;
};

}  // namespace bench_transfers::simulation
