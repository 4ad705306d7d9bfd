#include "src/gate/judge/observe.hpp"

#include <cmath>
#include <optional>
#include <vector>

#include "tests/basics.hpp"

namespace bench_transfers::gate::observe_test {
namespace {

/// Three processes of two sessions.
observation observed(double figure, const metric& judged_by, std::optional<double> bytes = {}) {
  history known;
  known.bytes = bytes;
  known.limited_by = benchmark_class::link;
  known.figures = {figure, figure, figure};
  return observe(known, std::vector<std::size_t>{0, 0, 1}, 2, judged_by);
}

TEST(observing, sorts_costs_by_session_and_leaves_out_what_was_not_measured) {
  history known;
  known.figures = {std::exp(1.0), std::nullopt, std::exp(2.0), std::exp(3.0)};
  const auto costs = costs_of(known, std::vector<std::size_t>{0, 0, 2, 0}, 3, metric{});
  EXPECT_THAT(costs, ElementsAre(ElementsAre(DoubleEq(1), DoubleEq(3)), IsEmpty(),
                                 ElementsAre(DoubleEq(2))));
}

TEST(observing, knows_that_clocks_resolve_half_a_nanosecond) {
  EXPECT_DOUBLE_EQ(observed(100, metric{}).least_deviation, 0.005);
  EXPECT_DOUBLE_EQ(observed(100, metric::named("gb_per_s"), 1e6).least_deviation, 0);
}

TEST(observing, recognises_latency_by_the_time_that_a_rate_implies) {
  const auto rate = metric::named("gb_per_s");
  EXPECT_EQ(observed(10, rate, 1e6).kind, benchmark_class::link);      // 100 µs
  EXPECT_EQ(observed(100, rate, 1e6).kind, benchmark_class::latency);  // 10 µs
  // It knows no time without bytes or of other metrics.
  EXPECT_EQ(observed(100, rate).kind, benchmark_class::link);
  for (const auto* const key : {"items_per_second", "cores", "z_gb_per_s"})
    EXPECT_EQ(observed(100, metric::named(key), 1e6).kind, benchmark_class::link) << key;
}

}  // namespace
}  // namespace bench_transfers::gate::observe_test
