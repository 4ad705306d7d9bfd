#pragma once

#include <optional>
#include <string>

namespace bench_transfers::result_file {
enum class metric_kind;  // src/result_file/format.hpp
}

namespace bench_transfers::gate {

/// What a file says about one of its counters (context.transfers.metrics).
struct declaration {
  std::string unit;  ///< "ns", "GB/s", "%", "1"
  result_file::metric_kind kind{};
  std::optional<bool> more_is_better;  ///< none: neither

  bool operator==(const declaration&) const = default;
};

/// What benchmarks are judged by: a field of their rows.
struct metric {
  std::string key = "real_time";  ///< real_time, cpu_time: in ns, whatever the row's time_unit; any
                                  ///< other in the unit that its rows have
  bool more_is_better = false;    ///< as of rates
  /// Stands for a process: the fastest of its repetitions, otherwise their median.
  bool fastest_repetition = false;
  /// What the runs say about it. None of real_time and cpu_time, and where the files say nothing:
  /// then the name decides.
  std::optional<declaration> declared = std::nullopt;

  /// The direction follows from the name: what ends in `_per_s`, `_per_second` or `_percent` is a
  /// rate.
  static metric named(std::string key);

  /// The same with what a file declares, which a file may leave out. The direction stays.
  [[nodiscard]] metric with(const std::optional<declaration>& of_file) const;

  /// Whether files can declare it: a counter, not a time that every row has.
  [[nodiscard]] bool is_counter() const;
  /// As declared, otherwise by the name: "ns", "GB/s", "B/s", "1/s", "%"; empty where not known.
  [[nodiscard]] std::string unit() const;
  /// A time: real_time, cpu_time, what is declared as a duration in a unit of time, and, where
  /// nothing is declared, what ends in `_ns`.
  [[nodiscard]] bool is_time() const;
  /// Of a time.
  [[nodiscard]] double nanoseconds(double value) const;
  /// In bytes: of those, more is better.
  [[nodiscard]] bool is_rate_of_bytes() const;
  /// Whether the name tells the direction: a time or a rate.
  [[nodiscard]] bool name_tells_direction() const;
  /// Positive and finite, and of a time such that somebody can have measured it.
  [[nodiscard]] bool can_be(double value) const;
};

/// Larger is slower, whatever the metric: the logarithm of a time, or of a rate with its sign
/// turned.
double cost(double value, const metric& judged_by);
/// Back again.
double value_of(double cost, const metric& judged_by);

}  // namespace bench_transfers::gate
