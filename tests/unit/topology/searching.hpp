#pragma once

#include <cstddef>
#include <vector>

#include "src/topology/infer/search.hpp"
#include "tests/simulation/made_up_host.hpp"

/// Searches for what four devices of 50 GB/s share.
namespace bench_transfers::topology::searching {

constexpr double gb = 1e9;
constexpr std::size_t devices = 4;

inline limit uploads_of(const std::vector<std::size_t>& members, double rate) {
  return {device_set::of(members), traffic::h2d, rate * gb};
}

/// All sets of devices that copy from the host, and each alone to it.
inline evidence measured(const std::vector<limit>& shared) {
  simulation::made_up_measurement measure(simulation::even_host(devices, shared),
                                          {.repetitions = 0.01, .sets = 0.002}, 1);
  std::vector<observation> observations;
  const auto observe = [&](const flow_set& flows) {
    observations.push_back(measure(flows));
    observations.back().flows = flows;
  };
  for (std::size_t bits = 1; bits < (1U << devices); ++bits) {
    device_set set;
    for (std::size_t device = 0; device < devices; ++device)
      if ((bits >> device & 1U) != 0) set = set | device_set::of(device);
    observe({set, {}});
    if (set.size() == 1) observe({{}, set});
  }
  return {devices, observations};
}

/// The explanation with these limits.
inline prediction with(const search& search, const std::vector<limit>& shared) {
  auto limits = search.own;
  limits.insert(limits.end(), shared.begin(), shared.end());
  return search.predictor.predict(limits);
}

}  // namespace bench_transfers::topology::searching
