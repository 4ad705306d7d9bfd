#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bench_transfers::result_file {
struct row;
}  // namespace bench_transfers::result_file

namespace bench_transfers::advice {

/// Which time of a row counts, and for how many bytes.
struct timing {
  std::string counter = "median_ns";
  /// The CPU reads the memory afterwards: that time is added so many times.
  struct reads {
    std::string counter;
    double times;
  };
  std::optional<reads> read_again = {};
  /// The bytes are the benchmark's size. Otherwise they are those that it has moved, which may
  /// differ from its size.
  bool is_of_its_size = false;

  /// Nothing but the median counts.
  [[nodiscard]] bool is_median() const { return counter == "median_ns" && !read_again; }
};

/// None if the row does not tell.
std::optional<double> ns_per_byte(const result_file::row& row, const timing& timed);

/// What was timed in turn with an operation as a form of it, by name: of "over_plain_ns" and
/// "plain_ns", "plain".
std::vector<std::string> timed_in_turn(const result_file::row& row);

}  // namespace bench_transfers::advice
