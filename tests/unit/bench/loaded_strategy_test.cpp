
#include <cmath>
#include <string>

#include "tests/basics.hpp"
#include "tests/unit/bench/host_session.hpp"
#include "transfers/core/workers.hpp"

namespace bench_transfers::bench::loaded_strategy_test {
namespace {

class loaded_session : public host_session {
 protected:
  loaded_session() {
    chosen.sizes = {std::size_t{1} << 20};
    chosen.own_sizes = true;
  }
  void SetUp() override {
    if (transfers::usable_processors() < 2) GTEST_SKIP() << "there is one processor only";
  }
  nlohmann::ordered_json row_of(const std::string& strategy) {
    chosen.strategies = {strategy};
    EXPECT_THAT(run_session().failures, IsEmpty());
    return rows.content().at("benchmarks").back();
  }
};

TEST_F(loaded_session, copies_are_described_by_the_traffic_beside_them) {
  chosen.strategies = {"loaded"};
  const auto planned_all = make_plan(strategies, *device, chosen);
  EXPECT_FALSE(planned_all.cases.empty());
  for (const auto& described : planned_all.cases) {
    EXPECT_EQ(described.memory, "pinned");
    EXPECT_EQ(described.role, "loaded");
    EXPECT_EQ(described.setting.has_value(), described.method != "idle") << described.name;
    EXPECT_NE(described.direction, result_file::direction::none);
  }
}

TEST_F(loaded_session, copies_tell_what_either_side_loses) {
  for (const auto* const variant : {"h2d/read_50_percent", "d2h/copy_100_percent"}) {
    const auto row = row_of(std::string("loaded/pinned/") + variant);
    SCOPED_TRACE(row.dump());
    EXPECT_EQ(row.at("bytes"), 1 << 20);
    EXPECT_EQ(row.at("cpu_threads"), transfers::usable_processors() - 1);
    EXPECT_GT(row.at("copy_alone_gb_per_s"), 0);
    EXPECT_GE(row.at("cpu_gb_per_s"), 0);
    const auto value = [&](const char* key) { return row.at(key).get<double>(); };
    // Of all copies, whatever disturbed them, and of these alone: settling ones do not count.
    constexpr double rounding = 1e-6;  // of nine digits
    const auto loss = [&](const char* rate, const char* alone) {
      return 100 * (1 - value(rate) / value(alone));
    };
    // The harness's clock has a little more between its readings.
    EXPECT_LE(value("copy_loss_percent"), loss("gb_per_s", "copy_alone_gb_per_s") + 100 * rounding);
    const auto cpu_loss = loss("cpu_gb_per_s", "cpu_alone_gb_per_s");
    EXPECT_NEAR(value("cpu_loss_percent"), cpu_loss, rounding * (100 + std::abs(cpu_loss)));
    const auto undisturbed = value("both_busy_percent") * value("operations") / 100;
    EXPECT_NEAR(undisturbed, std::round(undisturbed), 1e-6);
    // On a machine that is busy otherwise, there may be no moment at which all are at work.
    EXPECT_EQ(row.contains("undisturbed_copy_loss_percent"), undisturbed > 0);
  }
  EXPECT_EQ(left_wrong, 0U);
}

TEST_F(loaded_session, copies_beside_nothing_have_no_figures_of_the_cpu) {
  const auto row = row_of("loaded/pinned/h2d/idle");
  for (const auto* const key : {"cpu_gb_per_s", "cpu_threads", "copy_loss_percent"})
    EXPECT_FALSE(row.contains(key)) << key;
}

TEST_F(loaded_session, a_corrupted_byte_is_detected) {
  chosen.strategies = {"loaded/pinned/h2d/read_100_percent", "loaded/pinned/d2h/idle"};
  chosen.faults = {parse_fault("corrupt@.")};
  EXPECT_THAT(run_session().failures, SizeIs(2));
  EXPECT_EQ(left_wrong, 0U);
}

TEST_F(host_session, conditions_hold_while_operations_run_and_no_longer) {
  only_added_strategies();
  struct calls {
    int held = 0, begun = 0;
    bool without = false;
  };
  const auto seen = std::make_shared<calls>();
  add_copy("held", "h2d", [seen](transfer& copy) {
    const auto run = copy.steps[0].run;
    copy.steps[0].run = [seen, run] {
      if (seen->held != 1 && seen->begun > 0) seen->without = true;
      run();
    };
    copy.timing.conditions = [seen] {
      ++seen->held;
      ++seen->begun;
      return std::shared_ptr<const void>(nullptr, [seen](const void*) { --seen->held; });
    };
    copy.check.restore = [seen] { EXPECT_EQ(seen->held, 0); };
  });
  EXPECT_THAT(run_session().failures, IsEmpty());
  EXPECT_FALSE(seen->without);
  EXPECT_EQ(seen->held, 0);
  EXPECT_EQ(seen->begun, 2 + 2 * chosen.rounds)
      << "first operation, schedule; host's and device's clock";
}

}  // namespace
}  // namespace bench_transfers::bench::loaded_strategy_test
