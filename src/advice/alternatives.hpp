#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/advice/measurements.hpp"
#include "src/result_file/format.hpp"

namespace bench_transfers::advice {

/// What a strategy costs besides time, by the names of metrics: "cores", "bulk_loss_percent".
using price_list = std::map<std::string, double>;

/// Strategies that do the same job: benchmarks of one role and direction, and of one value of the
/// field that tells the role's jobs apart.
struct alternatives {
  std::string role;
  std::optional<std::string> job;  ///< that value: "cold"
  result_file::direction direction = result_file::direction::none;
  std::string time;  ///< the counter by which they are ranked: "median_ns"
  double reads = 0;  ///< of the memory, afterwards: in the times
  std::vector<std::string> families;
  advice::measurements measured;               ///< its transfers are those of the job
  std::vector<double> sizes;                   ///< at which any of them was measured, in bytes
  std::map<std::string, std::string> in_turn;  ///< forms timed in turn, and what they are

  /// By strategy, of the measured size next to this one.
  [[nodiscard]] std::map<std::string, price_list> prices_at(double bytes) const;

  std::map<std::string, std::map<double, price_list>> all_prices = {};  ///< by strategy and size
};

/// A role of a file whose benchmarks may be ranked.
struct rankable_role {
  std::string name, description;
};

/// The roles of the device's benchmarks that are alternatives to each other, except that of copies.
std::vector<rankable_role> rankable_roles(const result_file::contents& content, std::size_t device);

/// The alternatives of a role, by direction and job; none if the device has no benchmarks of it
/// that are alternatives to each other, with warm caches and a size. `reads`: how often the CPU
/// reads the memory afterwards, if the role's benchmarks measure that.
std::vector<alternatives> alternatives_in(const result_file::contents& content,
                                          const std::filesystem::path& file, std::size_t device,
                                          const std::string& role, double reads = 0);

}  // namespace bench_transfers::advice
