#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace bench_transfers::gate {

/// What limits a benchmark. Benchmarks of one class are disturbed alike. The noise and the shift of
/// one class say nothing about another.
enum class benchmark_class {
  link,     ///< the link between host and device
  host,     ///< the CPU, host memory or the driver
  latency,  ///< the calls themselves
  other     ///< unknown: other programs, and strategies with a role of their own
};

/// In the order in which they are reported.
inline constexpr std::array all_classes{benchmark_class::link, benchmark_class::host,
                                        benchmark_class::latency, benchmark_class::other};

// Words of baselines, of check.json and of --decide-by.

std::string to_string(benchmark_class kind);
std::optional<benchmark_class> benchmark_class_from(std::string_view word);

/// Operations shorter than 50 µs belong to `latency`, whatever else limits them: a call and its
/// wait take 6 to 10 µs, less than a fifth of a longer operation. Where latency drifts by 5 %, its
/// threshold, longer operations drift by less than 1 %. `nanoseconds`: of one operation, if known.
benchmark_class class_of(benchmark_class limited_by, std::optional<double> nanoseconds);

}  // namespace bench_transfers::gate
