#pragma once

#include <span>

#include "src/gate/judge/estimate.hpp"

namespace bench_transfers::gate {

/// How many benchmarks of a class should have moved by about as much as this one without a change,
/// and in no session of the baseline. Its sessions tell, by how far those of the other benchmarks
/// are apart; if it has only one, benchmarks tell that got faster. The benchmark is one of `all`.
double moved_unseen(const estimate& benchmark, std::span<const estimate> all);

/// Whether chance lets as many benchmarks move, where so many are expected to: the probability of
/// so many or more is `rate` or larger.
bool may_be_as_many(double expected, std::size_t moved, double rate);

}  // namespace bench_transfers::gate
