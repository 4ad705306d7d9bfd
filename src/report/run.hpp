#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/result_file/contents.hpp"
#include "src/trust/measured.hpp"

namespace bench_transfers::report {

using result_file::direction;
using trust::measured;

/// Benchmarks with warm caches that differ in their size alone, by size; 0: they have none.
using series = std::map<std::size_t, const measured*>;

/// A result file, ready for questions about its series. Refers to the file.
class run {
 public:
  explicit run(const result_file::contents& read);
  run(const run&) = delete;
  run& operator=(const run&) = delete;
  ~run() = default;

  /// What a benchmark must be.
  using condition = std::function<bool(const result_file::benchmark&)>;
  /// The plainest first.
  [[nodiscard]] std::vector<const series*> matching(const std::string& role,
                                                    const condition& wanted = {}) const;
  /// The plainest of these; empty if there is none.
  [[nodiscard]] const series& plainest(const std::string& role, const condition& wanted) const;
  /// The plainest copies in one direction, by the plain call or another method.
  [[nodiscard]] const series& copies(direction towards, const std::string& memory,
                                     const std::optional<std::string>& method = {}) const;

  [[nodiscard]] const result_file::contents& read() const { return read_; }
  [[nodiscard]] const std::vector<measured>& benchmarks() const { return benchmarks_; }
  /// In GB/s, after line coding.
  [[nodiscard]] std::optional<double> link_limit() const;
  /// Whether faults were injected on purpose.
  [[nodiscard]] bool is_falsified() const;

 private:
  const result_file::contents& read_;
  std::vector<measured> benchmarks_;
  std::vector<series> all_;  ///< the plainest first
};

/// The benchmark of the largest size; null if there is none.
const measured* largest(const series& sizes);

/// The benchmark that has the other's size; null if there is none.
const measured* at_size_of(const series& sizes, const measured& other);

/// Two benchmarks of the largest size that both series have.
using pair = std::pair<const measured*, const measured*>;
std::optional<pair> common_pair(const series& first, const series& second);

inline constexpr std::array both_directions{direction::h2d, direction::d2h};
/// "to the device", "to the host".
std::string way(direction towards);
/// By how much a factor exceeds 1: "10 %".
std::string percent_beyond(double factor);

}  // namespace bench_transfers::report
