#include "src/gate/judge/conclude.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "tests/unit/gate/made_up_report.hpp"

namespace bench_transfers::gate::conclude_test {
namespace {

TEST(conclusions, more_runs_help_only_if_there_is_no_other_reason) {
  const auto unsure = compared("a", verdict::ambiguous, 0.05);
  const auto inconclusive = [&](std::vector<finding> lines) {
    return report_of(exit_code::inconclusive, std::move(lines), {reasons::ambiguous{1}});
  };
  auto answer = inconclusive({unsure});
  EXPECT_TRUE(more_runs_may_tell(answer));
  answer.changed.push_back({{"link.width", "16", "8"}, true});
  EXPECT_TRUE(more_runs_may_tell(answer));
  answer.changed.front().allowed = false;
  EXPECT_FALSE(more_runs_may_tell(answer));
  answer = inconclusive({unsure});
  answer.classes.push_back({false, 20, 0.1, 0, true});
  EXPECT_FALSE(more_runs_may_tell(answer));
  EXPECT_FALSE(more_runs_may_tell(inconclusive({unsure, without_figures("b", verdict::missing)})));
  EXPECT_FALSE(more_runs_may_tell(inconclusive({compared("b", verdict::same, 0)})));
  EXPECT_FALSE(more_runs_may_tell(report_of(exit_code::regression, {unsure})));
  auto with_two_runs = inconclusive({without_figures("b", verdict::missing)});
  with_two_runs.processes_after = 2;
  EXPECT_TRUE(more_runs_may_tell(with_two_runs));
  auto noisy = unsure;
  noisy.advisory = true;
  noisy.judgement->resolution = std::log1p(0.2);
  EXPECT_FALSE(more_runs_may_tell(inconclusive({noisy})));
  auto advisory = compared("a", verdict::same, 0);
  advisory.advisory = true;
  EXPECT_TRUE(more_runs_may_tell(inconclusive({advisory})));
}

}  // namespace
}  // namespace bench_transfers::gate::conclude_test
