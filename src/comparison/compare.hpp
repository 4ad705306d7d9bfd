#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/comparison/runs.hpp"
#include "src/gate/model/benchmark_class.hpp"
#include "src/gate/model/fingerprint.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::comparison {

/// What the intervals cover.
enum class basis {
  runs,        ///< the differences between runs: one side has enough of them
  repetitions  ///< only what differs within the runs, which is less
};

/// What is known of a difference.
enum class finding {
  slower,       ///< the second side, beyond chance
  faster,       ///< likewise
  not_told,     ///< not significant
  no_interval,  ///< a side has a single repetition
  needs_runs,   ///< more than the repetitions explain, but how much runs differ is not known
};

/// What is known by an interval that holds together with all others: the one rule by which any part
/// of the program says that something is slower or faster.
finding finding_of(const std::optional<statistics::interval>& interval_all, basis of);

/// By how much longer the second side takes: logarithms, positive if it is slower.
struct difference {
  double shift = 0;
  /// Of this difference by itself. What the intervals cover is the basis.
  std::optional<statistics::interval> interval_95;
  std::optional<statistics::interval> interval_all;  ///< such that all of them hold with 95 %
  finding known = finding::not_told;

  [[nodiscard]] bool is_told() const {
    return known == finding::slower || known == finding::faster;
  }
};

struct compared_benchmark {
  std::string name;
  std::optional<std::size_t> size_bytes;
  result_file::cache_state cache = result_file::cache_state::warm;
  double first_ns = 0, second_ns = 0;  ///< centres of the runs; in the metric's unit
  comparison::difference difference;
  bool departs = false;  ///< beyond chance from the difference of its group

  /// Whether its group does not say what is known of it.
  [[nodiscard]] bool is_unlike(const comparison::difference& of_group) const {
    return departs || (difference.is_told() && difference.known != of_group.known);
  }
};

/// The benchmarks of a group that the same part of the machine limits.
struct compared_group {
  group_key key;
  gate::benchmark_class limited_by = gate::benchmark_class::other;
  /// Of the median benchmark. Those of one run are not independent, so its interval is no narrower
  /// than theirs.
  comparison::difference difference;
  std::vector<compared_benchmark> benchmarks;
};

/// What all benchmarks of a class have in common.
struct compared_class {
  gate::benchmark_class kind = gate::benchmark_class::other;
  std::size_t benchmarks = 0;
  comparison::difference difference;  ///< of the median benchmark, as that of a group
};

/// Benchmarks that are not compared, and why.
struct left_out {
  std::vector<std::string> only_first, only_second;
  std::vector<std::string> failed;           ///< on one of the sides
  std::vector<std::string> other_bytes;      ///< the sides move other numbers of bytes
  std::vector<std::string> other_procedure;  ///< two procedures have measured them
  std::vector<std::string> too_few;          ///< measured by fewer runs than its side needs
  /// On one of the sides: fewer than half are left.
  std::vector<std::string> few_repetitions;
};

struct comparison_result {
  comparison::basis basis = basis::runs;
  std::size_t compared = 0;  ///< benchmarks
  std::vector<gate::difference> machines;
  std::vector<compared_group> groups;   ///< the largest difference first
  std::vector<compared_class> classes;  ///< of ten benchmarks or more; only of runs
  comparison::left_out left_out;
};

/// Throws gate::bad_input if the sides cannot be compared: the same measurements twice, with and
/// without a GPU, of different programs, or no benchmark in common.
comparison_result compare(const side& first, const side& second);

}  // namespace bench_transfers::comparison
