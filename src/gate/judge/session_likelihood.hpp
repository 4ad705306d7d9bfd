#pragma once

#include <optional>
#include <span>
#include <vector>

#include "src/gate/judge/session_variance.hpp"

namespace bench_transfers::gate {

/// How similar the session variances of different benchmarks are assumed to be, in degrees of
/// freedom. Chosen with the simulation of docs/GATE.md, where they differ from none to 1 %.
inline constexpr double similar_degrees = 6;

/// Against the class.
enum class direction { faster, slower };

/// The shifts of the benchmarks that got faster than the class, or of the others, as distances.
struct side {
  std::vector<std::optional<double>> distances;  ///< none for the other side
  double censored_above = 0;  ///< of larger distances only the fact that they are larger counts
};

/// `changed_part`: how many of the class may have changed in this direction.
side side_of(std::span<const session_evidence> suite, direction towards, double changed_part);

/// Logarithms of the likelihood of the session variances of all benchmarks, up to a constant.
double log_likelihood_by_shifts(std::span<const session_evidence> suite, const side& side,
                                std::span<const double> variances);
double log_likelihood_by_baseline(std::span<const session_evidence> suite,
                                  std::span<const double> variances);

/// Probability that an unchanged benchmark gets as fast as this one, or faster.
double probability_as_fast(const new_session_evidence& evidence, double process_variance,
                           double session_variance);

/// The part of the variance between the baseline's sessions that processes explain.
double variance_by_processes(const baseline_evidence& evidence, double process_variance);

}  // namespace bench_transfers::gate
