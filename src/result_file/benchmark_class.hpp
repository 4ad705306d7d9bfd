#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "src/result_file/format.hpp"

namespace bench_transfers::result_file {

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

// Words of baselines, answers and options.

std::string to_string(benchmark_class kind);
std::optional<benchmark_class> benchmark_class_from(std::string_view word);

/// Operations shorter than 50 µs belong to `latency`, whatever else limits them: a call and its
/// wait take 6 to 10 µs, less than a fifth of a longer operation. Where latency drifts by 5 %, its
/// threshold, longer operations drift by less than 1 %. `nanoseconds`: of one operation, if known.
benchmark_class class_of(benchmark_class limited_by, std::optional<double> nanoseconds);

/// The class of a long operation: by role and memory. Without a GPU there is no link: its part is
/// played by host memory.
benchmark_class limited_by(const benchmark& described, bool on_host);

}  // namespace bench_transfers::result_file
