#include "bench/harness/sentinels.hpp"

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/bench/fake_clock.hpp"
#include "tests/unit/bench/host_session.hpp"

namespace bench_transfers::bench::sentinels_test {
namespace {

using result_file::sentinel;

/// The sentinels of the host device, by a clock that does not depend on the machine.
class sentinels_of_the_host : public host_session {
 protected:
  sentinels_of_the_host() : memory_(*device, chosen.seed), devices_({{*device, memory_}}) {}

  /// A round of `benchmarks`, each of which takes 10 ms.
  std::vector<result_file::sentinel_readings> measure_round(int number, int benchmarks) {
    watched.begin(number, benchmarks * 10ms, 1024 * 1024 * kib);
    for (int i = 0; i < benchmarks; ++i) {
      fake_clock::advance(10ms);
      watched.pause();
    }
    return watched.end();
  }

  fake_clock clock;
  buffers memory_;
  running_devices devices_;
  sentinels watched{devices_, chosen};
};

TEST_F(sentinels_of_the_host, are_read_at_both_ends_of_each_round) {
  const auto round = measure_round(3, 1);
  ASSERT_THAT(round, SizeIs(4));
  EXPECT_THAT(watched.refusals(), IsEmpty());
  std::map<sentinel, std::size_t> counts;
  for (const auto& readings : round) {
    EXPECT_EQ(readings.process, 1);
    EXPECT_EQ(readings.round, 3);
    EXPECT_EQ(readings.device, 0U);
    EXPECT_THAT(readings.ns, Each(Gt(0)));
    counts[readings.kind] = readings.ns.size();
  }
  EXPECT_EQ(counts[sentinel::h2d], 2U);
  EXPECT_EQ(counts[sentinel::d2h], 2U);
  EXPECT_EQ(counts[sentinel::cpu_read], 16U);
  EXPECT_EQ(counts[sentinel::small_copy], 16U);
}

TEST_F(sentinels_of_the_host, are_read_within_long_rounds) {
  EXPECT_THAT(measure_round(1, 800).front().ns, SizeIs(9));
  EXPECT_THAT(measure_round(2, 4).front().ns, SizeIs(5))
      << "not more often than between benchmarks";
}

TEST_F(sentinels_of_the_host, copy_less_in_short_rounds) {
  EXPECT_EQ(measure_round(1, 1).front().bytes, 1024 * kib);
  EXPECT_EQ(measure_round(2, 800).front().bytes, 1024 * kib) << "one size in a process";
  sentinels of_long_rounds(devices_, chosen);
  of_long_rounds.begin(1, 8s, 1024 * 1024 * kib);
  EXPECT_EQ(of_long_rounds.end().front().bytes, 64 * 1024 * kib);
}

TEST_F(sentinels_of_the_host, copy_no_more_than_the_benchmarks_do) {
  for (const auto& [largest, expected] :
       {std::pair(std::size_t{4}, 1024 * kib), {9 * 1024 * kib, 16 * 1024 * kib}}) {
    sentinels of_long_rounds(devices_, chosen);
    of_long_rounds.begin(1, 8s, largest);
    EXPECT_EQ(of_long_rounds.end().front().bytes, expected);
  }
}

/// A session, in the second round of which a neighbour is there.
class session_with_a_neighbour : public host_session {
 protected:
  session_with_a_neighbour() {
    only_added_strategies();
    around.now.check_clocks = {{}};
    chosen.rounds = 3;
    chosen.min_time = 10us;
    add_copy("some", "h2d", [](transfer& copy) {
      copy.steps.push_back({"take", [] { fake_clock::advance(200us); }});
    });
    change_plan = [this](const plan& made) {
      auto& described = facts_["benchmarks"];
      for (const auto& one : made.cases) {
        described[one.name] = to_json(one);
        described[one.name].update({{"role", "copy"}, {"memory", "pageable"}});
      }
      rows.set_facts(facts_);
    };
  }

  [[nodiscard]] std::vector<json> disturbed_in_rows() const {
    std::vector<json> codes;
    for (const auto& row : rows.content().at("benchmarks"))
      codes.push_back(row.value("disturbed", json()));
    return codes;
  }

 private:
  fake_clock clock_;
  json facts_{{"device", {{"kind", "host"}}}};
};

TEST_F(session_with_a_neighbour, marks_the_repetitions_of_its_round) {
  chosen.faults = {parse_fault("slow:100:2@sentinel/h2d")};
  const auto result = run_session();
  EXPECT_THAT(disturbed_in_rows(), ElementsAre(nullptr, json{"slow_round"}, nullptr));
  EXPECT_THAT(result.runs, SizeIs(2));
  EXPECT_THAT(result.slowed, SizeIs(1));
  EXPECT_THAT(result.failures, IsEmpty());
  EXPECT_EQ(result.disturbances.disturbed, 1U);
  EXPECT_EQ(result.disturbances.counted, 0U);
  ASSERT_THAT(result.warnings, SizeIs(1));
  EXPECT_EQ(result.warnings[0].code, "rounds_slowed");
  EXPECT_EQ(result.warnings[0].data["judged"], 3);
}

TEST_F(session_with_a_neighbour, marks_no_other_class) {
  chosen.faults = {parse_fault("slow:100:2@sentinel/small_copy")};
  EXPECT_THAT(run_session().runs, SizeIs(3));
  EXPECT_THAT(disturbed_in_rows(), Each(nullptr));
}

TEST_F(session_with_a_neighbour, marks_nothing_without_one) {
  const auto result = run_session();
  EXPECT_THAT(disturbed_in_rows(), Each(nullptr));
  EXPECT_THAT(result.warnings, IsEmpty());
  const auto& kept = rows.content().at("context").at("transfers").at("sentinels");
  EXPECT_THAT(kept.at("readings"), SizeIs(3 * 4));
  EXPECT_THAT(kept.at("skipped"), IsEmpty());
  std::vector<int> of_rows;
  for (const auto& row : rows.content().at("benchmarks")) of_rows.push_back(row.at("round"));
  EXPECT_THAT(of_rows, ElementsAre(1, 2, 3));
}

TEST_F(session_with_a_neighbour, says_why_a_sentinel_is_not_there) {
  chosen.faults = {parse_fault("slow:1:1@sentinel")};
  chosen.faults[0].effect = fault::kind::fail;
  EXPECT_THAT(run_session().runs, SizeIs(3));
  const auto& skipped = rows.content().at("context").at("transfers").at("sentinels").at("skipped");
  ASSERT_THAT(skipped, SizeIs(1));
  EXPECT_EQ(skipped[0].at("device"), 0);
  EXPECT_EQ(skipped[0].at("reason").at("code"), "device_failed");
}

}  // namespace
}  // namespace bench_transfers::bench::sentinels_test
