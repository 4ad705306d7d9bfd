#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/common/message.hpp"
#include "src/result_file/benchmark_class.hpp"

// Each round of a run repeats a few short operations, the sentinels. What slows them in some rounds
// only, such as another virtual machine of the host, has slowed the benchmarks of these rounds.

namespace bench_transfers::result_file {

/// An operation that each round repeats.
enum class sentinel {
  h2d,        ///< a copy from page-locked memory
  d2h,        ///< a copy to it
  cpu_read,   ///< one thread reads page-locked memory that is in no cache
  small_copy  ///< a copy of a page from page-locked memory, and its wait
};

std::string to_string(sentinel kind);

/// The class of the benchmarks that it stands for.
benchmark_class stands_for(sentinel kind, bool on_host);

/// The times of a sentinel in one round of a process.
struct sentinel_readings {
  int process = 1;
  int round = 1;           ///< of the process, from 1
  std::size_t device = 0;  ///< index into the run's list of devices
  sentinel kind = sentinel::h2d;
  std::size_t bytes = 0;   ///< of one operation
  std::vector<double> ns;  ///< of one operation each, in the order of time; above zero
};

nlohmann::ordered_json to_json(const sentinel_readings& readings);

/// Those of a file, by its context.transfers; none in files of older releases. Throws bad_entry.
std::vector<sentinel_readings> sentinels_in(const nlohmann::ordered_json& facts);

/// A round in which a sentinel was outside the control limit.
struct slow_round {
  int process = 1;
  int round = 1;
  std::size_t device = 0;
  sentinel kind = sentinel::h2d;
  double percent = 0;        ///< by which it was slower than in the quiet rounds of its process
  double limit_percent = 0;  ///< that a quiet round does not exceed
};

/// The rounds outside the control limits that the readings themselves give, in their order. Levels
/// of processes differ, so that each is compared with its own quiet rounds, the fastest third. The
/// noise of a round is that of all processes, by the readings within rounds and by the rounds that
/// lie closest together, so that neither outliers nor slow rounds widen the limit. Of copies by an
/// engine, the fastest readings count, which repeat best, and of the rest the middle. A round with
/// fewer than two readings is not judged, and nor are fewer than three rounds of a process.
std::vector<slow_round> rounds_outside_limits(std::span<const sentinel_readings> all);

/// How many rounds could be judged.
std::size_t count_judged(std::span<const sentinel_readings> all);

/// The warning `rounds_slowed`; none if there are no such rounds. `judged`: how many could be.
std::optional<common::message> warning_of(std::span<const slow_round> slow, std::size_t judged);

/// Marks rows of a file, with the code `slow_round`.
class slow_round_marks {
 public:
  /// `facts`: context.transfers, which outlives it.
  slow_round_marks(const nlohmann::ordered_json& facts, std::span<const slow_round> slow);
  ~slow_round_marks();
  slow_round_marks(const slow_round_marks&) = delete;
  slow_round_marks& operator=(const slow_round_marks&) = delete;

  /// Gives the row the mark if it is a repetition of a slow round and of a class that the sentinel
  /// stands for, and takes it away otherwise.
  void apply(nlohmann::ordered_json& row);

 private:
  struct known_benchmark;
  [[nodiscard]] bool is_slow(const nlohmann::ordered_json& row);

  const nlohmann::ordered_json& facts_;
  std::span<const slow_round> slow_;
  bool on_host_;
  std::map<std::string, known_benchmark, std::less<>> known_;
};

}  // namespace bench_transfers::result_file
