#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

namespace bench_transfers::bench {

/// Tells a person how far the run is: one line kept up to date on a terminal, a line now and then
/// in a log. Writes to standard error; standard output belongs to results.
class progress {
 public:
  /// `stream` is looked at to tell a terminal from a log.
  explicit progress(std::FILE* stream);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void show(std::string_view phase, std::size_t done, std::size_t total, std::string_view current,
            std::chrono::duration<double> left);
  /// A line of its own.
  void say(std::string_view line);
  /// Takes the line on the terminal away, so that others can print.
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
