
#include <chrono>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/bench/host_session.hpp"

namespace bench_transfers::bench::session_disturbed_test {
namespace {

using result_file::disturbance;

/// A session of one benchmark, in whose repetitions something happens.
class disturbed_session : public host_session {
 protected:
  disturbed_session() {
    only_added_strategies();
    around.now.cpus = 8;
    around.now.check_clocks = {{}};
  }

  /// `events[i]` happens during the i-th operation that is prepared; the first is to settle.
  outcome run_with(std::vector<std::function<void(readings&)>> events) {
    auto prepared = std::make_shared<std::size_t>(0);
    add_copy("some", "h2d", [this, prepared, events](transfer& copy) {
      const auto which = (*prepared)++;
      if (which >= events.size() || !events[which]) return;
      copy.steps.push_back({"event", [this, happens = events[which]] { happens(around.now); }});
    });
    return run_session();
  }

  [[nodiscard]] std::vector<nlohmann::ordered_json> disturbed_in_rows() const {
    std::vector<nlohmann::ordered_json> codes;
    for (const auto& row : rows.content().at("benchmarks"))
      codes.push_back(row.value("disturbed", nlohmann::ordered_json()));
    return codes;
  }
};

void stop(readings& now) { ++now.stops; }
void lose_a_cpu(readings& now) { now.cpus = 7; }
void jump(readings& now) { now.wall += 1h; }
/// Of the wall clock: the others go on.
void stand_still(readings& now) {
  now.check_clocks[0].earliest += 1s;
  now.check_clocks[0].latest += 1s;
}

TEST_F(disturbed_session, a_disturbed_repetition_does_not_count_beside_others) {
  chosen.rounds = 3;
  const auto result = run_with({nullptr, nullptr, stop});
  EXPECT_THAT(result.failures, IsEmpty());
  ASSERT_THAT(result.runs, SizeIs(2));
  EXPECT_EQ(result.runs[0].repetition_index, 0);
  EXPECT_EQ(result.runs[1].repetition_index, 2);
  EXPECT_THAT(disturbed_in_rows(), ElementsAre(nullptr, std::vector{"stopped"}, nullptr));
  EXPECT_EQ(result.disturbances.repetitions, 3U);
  EXPECT_EQ(result.disturbances.disturbed, 1U);
  EXPECT_EQ(result.disturbances.counted, 0U);
}

TEST_F(disturbed_session, every_kind_has_its_code) {
  chosen.rounds = 5;
  const auto result = run_with({nullptr, nullptr, stop, jump, stand_still, lose_a_cpu});
  EXPECT_THAT(result.runs, SizeIs(1));
  ASSERT_THAT(result.slowed, SizeIs(1));
  EXPECT_EQ(result.slowed[0].repetition_index, 4);
  EXPECT_THAT(disturbed_in_rows(),
              ElementsAre(nullptr, std::vector{"stopped"}, std::vector{"clock_jumped"},
                          std::vector{"clock_stood_still"}, std::vector{"fewer_cpus"}));
  EXPECT_THAT(
      result.disturbances.by_code,
      ElementsAre(std::pair(disturbance::stopped, 1U), std::pair(disturbance::fewer_cpus, 1U),
                  std::pair(disturbance::clock_stood_still, 1U),
                  std::pair(disturbance::clock_jumped, 1U)));
}

TEST_F(disturbed_session, repetitions_on_fewer_cpus_count_where_all_are) {
  const auto result = run_with({nullptr, lose_a_cpu});
  EXPECT_THAT(result.failures, IsEmpty());
  EXPECT_THAT(result.runs, SizeIs(2));
  EXPECT_THAT(disturbed_in_rows(),
              ElementsAre(std::vector{"fewer_cpus"}, std::vector{"fewer_cpus"}));
  EXPECT_EQ(result.disturbances.counted, 2U);
}

TEST_F(disturbed_session, busy_ones_count_before_spoilt_ones) {
  const auto result = run_with({nullptr, lose_a_cpu, stop});
  EXPECT_THAT(result.failures, IsEmpty());
  ASSERT_THAT(result.runs, SizeIs(1));
  EXPECT_EQ(result.runs[0].repetition_index, 0);
  EXPECT_EQ(result.disturbances.counted, 1U);
}

TEST_F(disturbed_session, a_benchmark_whose_repetitions_are_all_spoilt_has_failed) {
  add_copy("other", "h2d");
  const auto result = run_with({nullptr, stop, jump});
  ASSERT_THAT(result.failures, SizeIs(1));
  EXPECT_EQ(result.failures[0].name, "some/h2d/4KiB");
  EXPECT_EQ(result.failures[0].reason.code, "disturbed");
  EXPECT_EQ(result.failures[0].reason.text,
            "every repetition was disturbed: stopped, clock_jumped");
  EXPECT_THAT(names(result.runs), ElementsAre("other/h2d/4KiB", "other/h2d/4KiB"));
  std::size_t rows_of_it = 0;
  for (const auto& row : rows.content().at("benchmarks"))
    if (row.at("run_name") == "some/h2d/4KiB") {
      ++rows_of_it;
      EXPECT_EQ(row.at("error_code"), "disturbed");
      EXPECT_EQ(row.at("error_occurred"), true);
      EXPECT_EQ(row.at("disturbed"), (std::vector{"stopped", "clock_jumped"}));
    }
  EXPECT_EQ(rows_of_it, 1U);
}

TEST_F(disturbed_session, the_schedule_is_chosen_again_if_that_was_disturbed) {
  auto happened = std::make_shared<bool>(false);
  const auto result = run_with({[happened](readings& now) {
    if (!std::exchange(*happened, true)) ++now.stops;
  }});
  EXPECT_TRUE(*happened);
  EXPECT_THAT(result.failures, IsEmpty());
  EXPECT_THAT(result.runs, SizeIs(2));
  EXPECT_EQ(result.disturbances.disturbed, 0U);
}

TEST_F(disturbed_session, nothing_is_measured_by_a_clock_that_stands_still) {
  const auto result = run_with({stand_still});
  ASSERT_THAT(result.failures, SizeIs(1));
  EXPECT_EQ(result.failures[0].reason.code, "disturbed");
  EXPECT_THAT(result.runs, IsEmpty());
  EXPECT_THAT(rows.content().at("benchmarks"), SizeIs(1));
}

}  // namespace
}  // namespace bench_transfers::bench::session_disturbed_test
