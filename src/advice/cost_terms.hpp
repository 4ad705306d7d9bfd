#pragma once

#include <array>

#include "src/advice/ranking.hpp"

// The terms of the predicted time, as ranking.hpp adds them up.

namespace bench_transfers::advice {

/// The costs of one strategy; allocation is that of a single use, not divided by reuse.
struct strategy_costs {
  statistics::estimate allocation, fill, transfer, read_back;
  bool extrapolated = false;
};

/// What the CPU's access to the memory of a transfer adds to the sum.
struct cpu_term {
  term access;
  bool measured_terms::*is_measured;
  double question::*times;
  statistics::estimate strategy_costs::*cost;
  const char* title;

  /// Whether the sum includes it.
  [[nodiscard]] bool counts(const measured_terms& measured, const question& asked) const {
    return measured.*is_measured && asked.*times > 0;
  }
};

inline constexpr std::array cpu_terms{cpu_term{.access = term::cpu_write,
                                               .is_measured = &measured_terms::cpu_writes,
                                               .times = &question::cpu_writes,
                                               .cost = &strategy_costs::fill,
                                               .title = "CPU writes"},
                                      cpu_term{.access = term::cpu_read,
                                               .is_measured = &measured_terms::cpu_reads,
                                               .times = &question::cpu_reads,
                                               .cost = &strategy_costs::read_back,
                                               .title = "CPU reads"}};

}  // namespace bench_transfers::advice
