#pragma once

#include <cstddef>
#include <vector>

#include "src/statistics/estimate.hpp"
#include "src/topology/infer/evidence.hpp"

namespace bench_transfers::topology {

struct fitted_limit {
  topology::limit limit;
  statistics::estimate capacity;  ///< bytes per second
  double effect = 0;              ///< the largest part that it takes off, of the sets measured
  double p = 1;                   ///< that the sets look so without it, adjusted by Holm
  std::size_t sets = 0;           ///< in which it holds flows back
};

/// With `instead` in place of the devices of limit `index`, the evidence is explained nearly as
/// well.
struct doubt {
  std::size_t index;
  limit instead;
};

/// Links that explain the rates of all sets measured.
struct fit {
  std::size_t devices = 0;
  std::vector<limit> own;            ///< of each device: its rates alone
  std::vector<fitted_limit> shared;  ///< their sets of devices are nested or apart
  std::vector<doubt> doubts;

  [[nodiscard]] std::vector<limit> limits() const;
};

/// Explains the evidence by as few shared links as it takes. `hints` are the sets of devices below
/// a port or next to a NUMA node; of equally good explanations one of them is taken.
fit explain(const evidence& evidence, const std::vector<device_set>& hints);

}  // namespace bench_transfers::topology
