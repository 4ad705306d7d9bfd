#pragma once

#include <optional>
#include <string>

namespace bench_transfers::result_file {
enum class metric_kind;  // src/result_file/format.hpp
}

namespace bench_transfers::gate {

/// A file's declaration of one of its counters (context.transfers.metrics).
struct declaration {
  std::string unit;  ///< "ns", "GB/s", "%", "1"
  result_file::metric_kind kind{};
  std::optional<bool> more_is_better;  ///< none: neither

  bool operator==(const declaration&) const = default;
};

/// The field of their rows that benchmarks are judged by.
struct metric {
  /// real_time and cpu_time are in ns, whatever the row's time_unit; other fields are in the unit
  /// of their rows.
  std::string key = "real_time";
  bool more_is_better = false;  ///< as for rates
  /// The figure of a process is that of its fastest repetition; otherwise, the median.
  bool fastest_repetition = false;
  /// The runs' declaration. None for real_time and cpu_time, and if the files declare nothing: then
  /// the name decides.
  std::optional<declaration> declared = std::nullopt;

  /// The direction follows from the name: a field is a rate if its name ends in `_per_s`,
  /// `_per_second` or `_percent`.
  static metric named(std::string key);

  /// The same with a file's declaration, if it has one. The direction stays.
  [[nodiscard]] metric with(const std::optional<declaration>& declaration) const;

  /// Whether files can declare it: a counter, not a time that every row has.
  [[nodiscard]] bool is_counter() const;
  /// As declared, otherwise by the name: "ns", "GB/s", "B/s", "1/s", "%"; empty if unknown.
  [[nodiscard]] std::string unit() const;
  /// Whether it is real_time, cpu_time, declared as a duration in a unit of time, or, if nothing is
  /// declared, has a name that ends in `_ns`.
  [[nodiscard]] bool is_time() const;
  /// For times only.
  [[nodiscard]] double nanoseconds(double value) const;
  /// Whether the name implies the direction: that of a time or a rate.
  [[nodiscard]] bool name_implies_direction() const;
  /// Whether a value is positive and finite and, for a time, of a plausible length.
  [[nodiscard]] bool can_be(double value) const;
};

/// Larger is slower, whatever the metric: the logarithm of a time, or the negative logarithm of a
/// rate.
double cost(double value, const metric& judged_by);
/// The inverse of `cost`.
double value_of(double cost, const metric& judged_by);

}  // namespace bench_transfers::gate
