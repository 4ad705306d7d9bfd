#pragma once

#include <ostream>
#include <span>
#include <vector>

#include "bench/harness/measured_device.hpp"
#include "bench/harness/plan.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {

/// Prints --list: each family and the names of its strategies.
void list_families(std::ostream& out, const std::vector<const strategy*>& strategies);

/// Prints --list=all: each strategy's name, variants and summary, the devices on which it runs, and
/// why not on the others.
void list_strategies(std::ostream& out, const std::vector<const strategy*>& strategies,
                     std::span<const named_device> devices);

/// Prints --list=json: the same for programs, as an array.
void list_as_json(std::ostream& out, const std::vector<const strategy*>& strategies,
                  std::span<const named_device> devices);

/// Prints --benchmark_list_tests: the names, one per line.
void list_benchmarks(std::ostream& out, const plan& plan);

}  // namespace bench_transfers::bench
