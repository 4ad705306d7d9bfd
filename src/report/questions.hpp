#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/report/run.hpp"

// What a reader asks first of a run.

namespace bench_transfers::report {

inline constexpr const char* time_counter = "median_ns";

/// One size of a question.
struct question_size {
  std::string benchmark;  ///< its name
  /// The same in all runs: the name without a device.
  std::string common_name;
};

/// What a reader asks of a run: at its largest size, or at one.
struct question {
  std::string code;  ///< the same in all runs: "copy pinned h2d"
  std::string text;  ///< "pinned memory to the device"
  std::string counter = time_counter;
  bool is_rate = true;                           ///< shown as a rate, not as a time
  bool is_followed = false;                      ///< over time
  bool is_compared = true;                       ///< with other runs
  std::optional<std::size_t> at = std::nullopt;  ///< the size; none: the largest
  std::map<std::size_t, question_size> sizes;
};

/// Those that the run answers.
std::vector<question> questions_of(const run& of);

/// The name of a benchmark without its device.
std::string common_name_of(const result_file::benchmark& described);

/// The questions whose answers are followed over time, with the names of their benchmarks.
nlohmann::ordered_json followed_questions(std::span<const question> questions);

}  // namespace bench_transfers::report
