#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "src/gate/judge/check.hpp"
#include "src/gate/model/pin.hpp"
#include "tests/unit/gate/made_up_runs.hpp"

namespace bench_transfers::gate {

/// Ten runs before and three after, of thirty benchmarks.
class checks : public testing::Test {
 protected:
  checks() {
    for (int i = 0; i < 10; ++i) before_.push_back(of_thirty(i));
    for (int i = 10; i < 13; ++i) after_.push_back(of_thirty(i));
  }

  static run of_thirty(int number) {
    auto run = made_up(number);
    run.benchmarks.clear();
    for (int b = 0; b < 30; ++b)
      // Scattered by up to 0.2 %, each benchmark in its own way; long enough for bandwidth.
      run.benchmarks["copy/" + std::to_string(b)] = {
          {1e6 * (1 + 0.002 * ((number * 7 + b * 5) % 11 - 5) / 5.0)}, 0, {}};
    return run;
  }

  void slow_down(const std::string& name, double times) {
    for (auto& run : after_)
      for (auto& value : run.benchmarks[name].values) value *= times;
  }

  report answer(const question& question = {}) {
    return check(pin(before_, {}).baseline, after_, question);
  }

  static question different(const std::string& key) {
    question question;
    question.allow_different = {key};
    return question;
  }

  static question missing(const std::string& names) {
    question question;
    question.allow_missing = names;
    return question;
  }

  static const finding& benchmark_of(const report& report, const std::string& name) {
    for (const auto& benchmark : report.findings)
      if (benchmark.name == name) return benchmark;
    throw std::invalid_argument(name);
  }

  std::vector<run> before_, after_;
};

}  // namespace bench_transfers::gate
