#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/result_file/contents.hpp"

namespace bench_transfers::trust {

/// A benchmark and the times of its repetitions.
struct measured {
  const result_file::benchmark* described = nullptr;
  std::vector<double> times_ns = {};
  std::optional<double> bytes = {};  ///< moved by one operation; only of benchmarks with a size
  double median_ns = 0;
  std::vector<const result_file::row*> rows = {};  ///< of the times

  /// What a counter is in each repetition that has a positive number there, and their median.
  [[nodiscard]] std::vector<double> values(std::string_view counter) const;
  [[nodiscard]] std::optional<double> median(std::string_view counter) const;
  [[nodiscard]] double gb_per_s() const { return bytes.value_or(0) / median_ns; }
};

/// By strategy, variant and size.
std::vector<measured> benchmarks_in(const result_file::contents& read);

/// A plain copy in one direction with warm caches.
bool is_transfer(const measured& benchmark);

/// Of benchmarks of one direction and size: those that are as good as the fastest, the plainest
/// first. They take up to 3 % longer; or up to 10 %, unless repetitions show that they do. Noise
/// may hide a small difference, but does not make a large one small.
std::vector<const measured*> as_good_as_fastest(const std::vector<const measured*>& candidates);

}  // namespace bench_transfers::trust
