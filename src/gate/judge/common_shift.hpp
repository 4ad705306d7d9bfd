#pragma once

#include <span>

#include "src/gate/judge/compare.hpp"
#include "src/gate/judge/estimate.hpp"

namespace bench_transfers::gate {

/// What the benchmarks of a class have in common in the new runs, and whether that is slower.
/// `common`: in each session of the baseline. `false_alarm`: the part of the check's rate for this
/// class.
common_shift common_shift_of(const class_estimates& estimates, std::span<const double> common,
                             const limits& limits, double false_alarm);

/// How far another session may move a class as a whole, upwards and with a confidence of 95 %. Of
/// host and latency only the baseline's sessions tell; infinite if there is only one. 0 for a class
/// that is too small.
double common_bound_of(benchmark_class kind, std::span<const double> common);
double common_bound_of(std::span<const observation> observations);

}  // namespace bench_transfers::gate
