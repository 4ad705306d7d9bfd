// Sessions that go on with what an earlier part of the run has measured.
#include <chrono>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/bench/fake_clock.hpp"
#include "tests/unit/bench/host_session.hpp"

namespace bench_transfers::bench::session_earlier_test {
namespace {

using result_file::disturbance;
using result_file::disturbance_degree;

using codes = std::set<disturbance>;

const codes spoiling{disturbance::clock_jumped};
const codes slowing{disturbance::other_load};

earlier_repetitions repetitions(int count, double median_ns, const codes& disturbed = {}) {
  earlier_repetitions earlier;
  for (int number = 0; number < count; ++number) earlier.add(number, median_ns, disturbed);
  return earlier;
}

TEST(earlier_repetitions, the_next_number_follows_the_highest) {
  earlier_repetitions earlier;
  EXPECT_EQ(earlier.next, 0);
  earlier.add(7, 10.0, spoiling);
  earlier.add(2, std::nullopt, slowing);
  EXPECT_FALSE(earlier.are_spoilt());
  earlier.add(3, 30.0, slowing);
  EXPECT_EQ(earlier.count, 3);
  EXPECT_EQ(earlier.next, 8);
  EXPECT_THAT(earlier.medians, ElementsAre(30.0));
  EXPECT_EQ(earlier.least, disturbance_degree::slowed);
  EXPECT_EQ(earlier.spoilt_by, spoiling);
}

/// A session of a benchmark, operations of which take 200 µs.
class earlier_session : public host_session {
 protected:
  earlier_session() {
    only_added_strategies();
    chosen.rounds = 5;
    chosen.min_time = 10us;
    around.now.check_clocks = {{}};
    const auto prepared = std::make_shared<int>(0);
    add_copy("some", "h2d", [this, prepared](transfer& copy) {
      const bool settles = (*prepared)++ == 0;
      copy.steps.push_back({"take", [this, settles] {
                              fake_clock::advance(200us);
                              if (spoils && !settles) around.now.wall += 1h;
                            }});
    });
  }

  outcome run_after(const earlier_repetitions& earlier) {
    change_plan = [earlier](plan& plan) { plan.cases.front().earlier = earlier; };
    return run_session();
  }

  [[nodiscard]] static std::vector<int> numbers_of(const std::vector<run>& runs) {
    std::vector<int> numbers;
    for (const auto& repetition : runs)
      numbers.push_back(static_cast<int>(repetition.repetition_index));
    return numbers;
  }

  bool spoils = false;  ///< each repetition

 private:
  fake_clock clock_;
};

TEST_F(earlier_session, measures_the_repetitions_that_lack) {
  const auto result = run_after(repetitions(3, 200e3));
  EXPECT_THAT(numbers_of(result.runs), ElementsAre(3, 4));
  EXPECT_THAT(rows.content().at("benchmarks"), SizeIs(2));
}

TEST_F(earlier_session, measures_none_if_all_are_there) {
  const auto result = run_after(repetitions(5, 200e3));
  EXPECT_THAT(result.runs, IsEmpty());
  EXPECT_THAT(result.failures, IsEmpty());
}

TEST_F(earlier_session, ends_when_the_medians_of_both_parts_are_stable) {
  strategies.back().sampling.until_stable = true;
  chosen.rounds = 30;
  EXPECT_THAT(numbers_of(run_after(repetitions(5, 200e3)).runs), IsEmpty());
  EXPECT_THAT(numbers_of(run_after(repetitions(4, 200e3)).runs), ElementsAre(4));
}

TEST_F(earlier_session, of_one_of_several_processes_measures_its_share) {
  chosen.rounds = 7;
  chosen.process = {2, 3};
  EXPECT_THAT(numbers_of(run_after(repetitions(3, 200e3)).runs), ElementsAre(3, 4));
  for (const auto& row : rows.content().at("benchmarks")) EXPECT_EQ(row.at("process"), 2);
}

TEST_F(earlier_session, of_one_of_several_processes_measures_what_is_known_already) {
  strategies.back().sampling.until_stable = true;
  chosen.rounds = 6;
  chosen.process = {2, 3};
  EXPECT_THAT(numbers_of(run_after(repetitions(5, 200e3)).runs), ElementsAre(5, 6));
}

TEST_F(earlier_session, leaves_what_is_spoilt_to_the_next_process) {
  spoils = true;
  chosen.process = {1, 5};
  EXPECT_THAT(by_name(run_after({}).failures), IsEmpty());
  EXPECT_THAT(rows.content().at("benchmarks"), SizeIs(1));
}

TEST_F(earlier_session, does_not_fail_where_only_the_later_repetitions_are_spoilt) {
  spoils = true;
  const auto result = run_after(repetitions(4, 200e3));
  EXPECT_THAT(by_name(result.failures), IsEmpty());
  EXPECT_THAT(result.runs, IsEmpty());
  EXPECT_EQ(result.disturbances.disturbed, 1U);
  EXPECT_THAT(rows.content().at("benchmarks"), SizeIs(1));
}

TEST_F(earlier_session, fails_where_the_repetitions_of_all_parts_are_spoilt) {
  spoils = true;
  const auto result = run_after(repetitions(4, 200e3, spoiling));
  EXPECT_THAT(by_name(result.failures), SizeIs(1));
}

TEST_F(earlier_session, fails_where_a_killed_part_has_spoilt_ones_only) {
  change_plan = [](plan& plan) {
    plan.cases.front().earlier = repetitions(5, 200e3, spoiling);
    plan.set_aside = std::exchange(plan.cases, {});
  };
  const auto result = run_session();
  EXPECT_THAT(by_name(result.failures),
              ElementsAre(Pair("some/h2d/4KiB", "every repetition was disturbed: clock_jumped")));
  EXPECT_TRUE(result.by_time.empty());
  EXPECT_THAT(rows.content().at("benchmarks"), SizeIs(1));
}

TEST_F(earlier_session, waits_for_all_repetitions_before_it_fails) {
  chosen.max_time = 1ns;
  const auto result = run_after(repetitions(4, 200e3, spoiling));
  EXPECT_THAT(by_name(result.failures), IsEmpty());
  EXPECT_THAT(result.by_time.shortened, ElementsAre("some/h2d/4KiB"));
}

TEST_F(earlier_session, names_the_shortened_of_both_parts) {
  chosen.rounds = 1000;
  chosen.max_time = 50ms;
  const auto result = run_after(repetitions(3, 200e3));
  EXPECT_THAT(result.by_time.left_out, IsEmpty());
  EXPECT_THAT(result.by_time.shortened, ElementsAre("some/h2d/4KiB"));
}

}  // namespace
}  // namespace bench_transfers::bench::session_earlier_test
