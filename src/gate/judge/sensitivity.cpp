#include "src/gate/judge/sensitivity.hpp"

#include <algorithm>
#include <cmath>

#include "src/statistics/distributions.hpp"
#include "src/statistics/location.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::gate {

using statistics::square;

every_process_slower::every_process_slower(const estimate& benchmark, std::size_t new_processes)
    : tolerated_(new_processes < 3 ? 0 : (new_processes - 3) / 3) {
  constexpr double deviations_from_centre = 2.5;
  constexpr double deviations_from_slowest = 2;
  const auto& before = benchmark.before;
  const double deviation = std::sqrt(benchmark.process_variance);
  const double process_error =
      std::sqrt(benchmark.process_variance * (1 + statistics::location_variance(before.size())) +
                benchmark.variance_by_sessions());
  const auto slowest = before[before.size() - 1 - before.size() / 40] - benchmark.centre;
  least_ = std::max(0.0, benchmark.common) +
           std::max({benchmark.threshold, deviations_from_centre * process_error,
                     slowest + deviations_from_slowest * deviation});
}

bool every_process_slower::holds_for(const estimate& benchmark) const {
  return benchmark.after[tolerated_] - benchmark.centre > least_;
}

double detectable_shift(const estimate& benchmark, const look_at_benchmark& look, double power) {
  const double error = benchmark.standard_error();
  const double power_quantile = statistics::normal_quantile(power);
  const double critical = statistics::students_t{benchmark.degrees()}.exceeded_by(look.first_p);
  const double by_centre = std::max(benchmark.threshold, critical * error) + power_quantile * error;
  const every_process_slower rule(benchmark, look.new_processes);
  // The probability for one process with which enough of them exceed the rule's distance.
  const auto needed = static_cast<double>(look.new_processes - rule.tolerated());
  const double of_one =
      statistics::beta_quantile(needed, static_cast<double>(rule.tolerated()) + 1, power);
  const double one_quantile = statistics::normal_quantile(of_one);
  const double by_every_process =
      rule.least() + std::sqrt(benchmark.process_variance * square(one_quantile) +
                               benchmark.variance_by_sessions() * square(power_quantile));
  return std::max(by_centre, by_every_process);
}

benchmark_judgement bounds_of(const estimate& benchmark, const look_at_benchmark& look) {
  constexpr double bound_confidence = 0.95;
  benchmark_judgement judgement;
  judgement.shift = benchmark.shift;
  judgement.standard_error = benchmark.standard_error();
  judgement.degrees = benchmark.degrees();
  judgement.process_deviation = std::sqrt(benchmark.process_variance);
  judgement.session_deviation = std::sqrt(benchmark.session.variance);
  const statistics::students_t t{judgement.degrees};
  const double error = judgement.standard_error;
  const double quantile_of_bound = t.quantile(bound_confidence);
  const double bound = std::hypot(quantile_of_bound * error, benchmark.common_bound);
  judgement.at_least = benchmark.least_slowdown() - t.exceeded_by(look.first_p) * error;
  judgement.at_most = benchmark.shift + bound;
  judgement.resolution = bound * (1 + statistics::normal_quantile(0.80) / quantile_of_bound);
  return judgement;
}

benchmark_judgement judgement_without_verdict(const estimate& benchmark,
                                              const look_at_benchmark& look) {
  auto judgement = bounds_of(benchmark, look);
  judgement.detectable = detectable_shift(benchmark, look, 0.80);
  judgement.detectable_surely = detectable_shift(benchmark, look, 0.95);
  return judgement;
}

}  // namespace bench_transfers::gate
