#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "src/comparison/compare.hpp"
#include "src/report/comparable.hpp"

namespace bench_transfers::report {

/// What `compare` says of two runs: the second beside the first.
struct compared_pair {
  std::map<std::string, comparison::compared_benchmark> benchmarks;  ///< by the common name
  comparison::comparison_result result;
  std::string problem;  ///< why they cannot be compared; empty: none

  /// Null if it is not compared.
  [[nodiscard]] const comparison::compared_benchmark* find(const std::string& common_name) const;
};

/// Every two of several runs, by each counter that the first run's questions compare.
class compared_pairs {
 public:
  explicit compared_pairs(std::span<const comparable* const> runs);

  /// By the places of the runs, the smaller first.
  [[nodiscard]] const compared_pair& of(std::size_t first, std::size_t second,
                                        const std::string& counter) const {
    return pairs_.at({first, second, counter});
  }

 private:
  struct key {
    std::size_t first, second;
    std::string counter;

    auto operator<=>(const key&) const = default;
  };
  std::map<key, compared_pair> pairs_;
};

}  // namespace bench_transfers::report
