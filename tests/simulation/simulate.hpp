#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "src/fleet/judge/judge.hpp"
#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::simulation {

struct simulation_request {
  std::vector<double> slower{0.02, 0.03, 0.05, 0.1};  ///< slowdowns of link figures, as parts
  std::size_t most_sweeps = 4;                        ///< 1, 2, 4 … of them are judged together
  std::size_t most_trials = 200;
  std::uint64_t seed = 1;
};

/// How often a slow part was found, and named as what it is.
struct tried_fault {
  fleet::scope scope;
  double slower;
  std::size_t sweeps;
  std::size_t made = 0, found = 0;
};

struct simulated_sweeps {
  std::size_t sweeps;  ///< judged together
  std::size_t trials = 0;
  std::size_t wrong = 0;  ///< findings that are no part of a fault
};

struct simulated_findings {
  /// Why nothing can be found in this sweep, and nothing was tried.
  std::optional<fleet::doubt> obstacle = {};
  /// Of scopes with less than a handful of parts: what these must be slower by to be named, however
  /// many sweeps are judged together.
  std::map<fleet::scope, double> least_named;
  std::vector<tried_fault> faults;
  std::vector<simulated_sweeps> trials;
};

/// Makes up fleets like this sweep, slows parts of them down and judges them. Where GPUs are and
/// what they have measured stays. What nodes, GPUs and repetitions differ by is drawn from what
/// those of the sweep differ by that are not named; of several sweeps, only repetitions are drawn
/// anew, as a single sweep does not tell whether a GPU differs in the same way tomorrow. For each
/// number of sweeps the same fleets are made up, but for the repetitions.
simulated_findings simulate(const fleet::sweep& sweep, const fleet::settings& settings,
                            const simulation_request& request);

}  // namespace bench_transfers::simulation
