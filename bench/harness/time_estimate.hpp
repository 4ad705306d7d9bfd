#pragma once

#include <chrono>
#include <cstddef>
#include <map>

namespace bench_transfers::bench {

/// A benchmark, as far as it takes time.
struct expected_work {
  std::size_t bytes = 0;
  int repetitions = 0;                    ///< that follow its preparation
  std::chrono::duration<double> timed{};  ///< of each repetition, besides the work around it
};

/// The time that benchmarks take until all of them are prepared and repeated. A repetition takes as
/// long as its preparation, which allocates, moves and checks the same bytes, and its timed
/// operations. Benchmarks that are not prepared yet are expected to cost what others of their size
/// have cost.
class time_estimate {
 public:
  using seconds = std::chrono::duration<double>;

  void expect(const expected_work& work);
  /// Of what was expected: what preparing it has cost. `repetitions`: none if it has failed.
  void prepared(const expected_work& work, seconds cost, int repetitions);

  /// 0: nothing was prepared yet.
  [[nodiscard]] seconds left() const;

 private:
  /// Benchmarks of one size.
  struct size_group {
    double preparations = 0, repetitions = 0;  ///< to come, of those that are not prepared
    double count = 0;                          ///< of those that are prepared
    seconds cost{};                            ///< of preparing these
  };

  std::map<std::size_t, size_group> groups_;
  seconds timed_{};        ///< in repetitions of those that are not prepared
  seconds repetitions_{};  ///< of those that are prepared
};

}  // namespace bench_transfers::bench
