#pragma once

#include <span>
#include <vector>

#include "src/gate/judge/compare.hpp"
#include "src/statistics/variance_prior.hpp"

namespace bench_transfers::gate {

/// How far processes differ, for each benchmark of a class: the variance of logarithms within
/// sessions. Few processes tell it badly, so that it is drawn towards that of benchmarks that
/// resemble it (variance_prior).
///
/// By the baseline, distances are clipped: a disturbed process of it must not hide a slowdown. By
/// both sides they are not, because clipping leaves one speed of two. All calls then resemble each
/// other in the time by which processes differ, not in the share of theirs.
std::vector<statistics::variance_estimate> process_variances(
    std::span<const observation> observations, variance_told_by told_by);

}  // namespace bench_transfers::gate
