#pragma once

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace bench_transfers::bench {

/// How far a run is.
struct step_of_run {
  std::string_view phase;
  std::size_t completed, total;
  std::string_view current;                   ///< a benchmark
  std::chrono::duration<double> time_left{};  ///< 0: not known
  std::optional<double> estimate_ns = {};     ///< the current benchmark's median so far
};

/// The line that shows it. If it would be wider than `columns`, the benchmark's name is shortened.
std::string line_of(const step_of_run& step, std::optional<std::size_t> columns = std::nullopt);

/// Shows the progress of the run: one line that is updated on a terminal, a line every few seconds
/// in a log. Use it with standard error; standard output is for results.
class progress {
 public:
  /// Detects whether `stream` is a terminal.
  explicit progress(std::FILE* stream);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void show(const step_of_run& step);
  /// Prints a line.
  void say(std::string_view line);
  /// Prints a line in a log. A terminal has its own line, which tells the same.
  void note(std::string_view line);
  /// Clears the line on the terminal, before other output.
  void clear();

 private:
  void print(const std::string& text);

  std::FILE* stream_;
  bool terminal_;
  bool line_open_ = false;
  std::chrono::steady_clock::time_point next_{};
};

/// "1m 40s", "12s".
std::string format_duration(std::chrono::duration<double> time);

}  // namespace bench_transfers::bench
