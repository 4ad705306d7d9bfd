// A strategy's requests to a session besides its steps: repetitions, effort, restoring memory.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "bench/strategy/cache.hpp"
#include "bench/verification/pattern.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/fake_clock.hpp"
#include "tests/unit/bench/host_session.hpp"
#include "tests/unit/transfers/busy.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::session_for_strategies_test {
namespace {

/// Operations with known durations on their own clock. All operations of the n-th repetition take
/// cost(n); n counts from 0.
class durations : public host_session {
 protected:
  durations() {
    only_added_strategies();
    chosen.min_time = 10us;
    chosen.rounds = 5;
    chosen.sizes = {4 * kib};
    chosen.own_sizes = true;
  }

  strategy& add(const std::string& name, std::function<std::chrono::nanoseconds(int)> cost) {
    const auto prepared = std::make_shared<int>(-1);  // the first call settles the schedule
    return add_lasting(name, [=] { return cost(std::max(0, (*prepared)++)); });
  }

  [[nodiscard]] std::ptrdiff_t repetitions_of(const std::string& name) {
    const auto ran = names(result.runs);
    return std::ranges::count(ran, name);
  }

  outcome result;

 private:
  fake_clock clock_;
};

TEST_F(durations, that_vary_are_repeated_up_to_three_times_as_often) {
  // Half of the medians are ten times the others: no number of rounds narrows the interval.
  const auto varying = [](int n) { return n % 2 == 0 ? 50us : 500us; };
  add("a/unstable", varying).sampling.until_stable = true;
  add("b/plain", varying);
  result = run_session();
  EXPECT_THAT(result.failures, IsEmpty());
  EXPECT_EQ(repetitions_of("a/unstable/4KiB"), 15);
  EXPECT_EQ(repetitions_of("b/plain/4KiB"), 5);
}

TEST_F(durations, that_are_the_same_end_when_the_median_is_known) {
  chosen.rounds = 30;
  add("a/stable", [](int) { return 200us; }).sampling.until_stable = true;
  add("b/plain", [](int) { return 20us; });
  result = run_session();
  EXPECT_EQ(repetitions_of("a/stable/4KiB"), 5);
  EXPECT_EQ(repetitions_of("b/plain/4KiB"), 30);
}

TEST_F(durations, that_become_stable_end_then) {
  // The first of nine values differs: the interval leaves out one value on either side.
  chosen.rounds = 20;
  add("a/settling", [](int n) { return n == 0 ? 2ms : 200us; }).sampling.until_stable = true;
  result = run_session();
  EXPECT_EQ(repetitions_of("a/settling/4KiB"), 9);
}

TEST_F(durations, of_half_a_second_need_only_three_repetitions) {
  const auto long_and_varying = [](int n) { return n % 2 == 0 ? 150ms : 400ms; };
  add("a/long", long_and_varying).sampling.until_stable = true;
  result = run_session();
  EXPECT_EQ(repetitions_of("a/long/4KiB"), 3);
}

TEST_F(durations, are_tried_no_further_when_there_are_few_rounds) {
  chosen.rounds = 1;
  add("a/unstable", [](int n) { return n % 2 == 0 ? 50us : 500us; }).sampling.until_stable = true;
  result = run_session();
  EXPECT_EQ(repetitions_of("a/unstable/4KiB"), 3);
}

TEST_F(durations, effort_scales_how_many_are_timed) {
  chosen.rounds = 1;
  chosen.min_time = 20ms;
  const auto constant = [](int) { return 50us; };
  add("a/whole", constant);
  add("b/fifth", constant).sampling.effort = 0.2;
  add("c/twice", constant).sampling.effort = 2;
  add("d/none", constant).sampling.effort = 0;
  result = run_session();
  std::map<std::string, int> operations;
  for (const auto& row : rows.content().at("benchmarks"))
    operations[row.at("name")] = row.at("operations").get<int>();
  EXPECT_EQ(
      operations,
      (std::map<std::string, int>{
          {"a/whole/4KiB", 400}, {"b/fifth/4KiB", 80}, {"c/twice/4KiB", 800}, {"d/none/4KiB", 1}}));
}

TEST_F(host_session, a_job_has_the_state_of_the_caches) {
  if (!can_flush_cache()) GTEST_SKIP() << "no cold benchmarks on this processor";
  only_added_strategies();
  chosen.cold_sizes = chosen.sizes;
  std::set<cache_state> asked_for;
  add_copy("a/copy", "h2d");
  auto& added = strategies.back();
  added.prepare = [&asked_for, prepare = added.prepare](const job& task) {
    asked_for.insert(task.cache);
    return prepare(task);
  };
  static_cast<void>(run_session());
  EXPECT_THAT(asked_for, ElementsAre(cache_state::warm, cache_state::cold));
}

TEST_F(host_session, changes_elsewhere_are_restored_even_after_a_failure) {
  only_added_strategies();
  int restored = 0;
  const auto add_changing = [&](const std::string& name, std::function<void()> then) {
    auto added = test_strategy(name, {}, {.host = transfers::pageable});
    added.prepare = [&restored, then](const job& task) {
      const auto block = host_payload(task, transfers::pageable);
      const auto pattern = task.memory.pattern();
      transfer operation;
      operation.steps = {{"change", [block, then] {
                            std::fill_n(block.data, block.bytes, std::byte{3});
                            then();
                          }}};
      operation.check.restore = [block, pattern, &restored] {
        write_host_pattern(block.data, 0, block.bytes, pattern);
        ++restored;
      };
      return operation;
    };
    add(std::move(added));
  };
  add_changing("a/changes", [] {});
  add_changing("b/fails", [] { throw transfers::device_error("on purpose", false); });
  add_copy("copy/pageable", "h2d");
  const auto failed = by_name(run_session().failures);
  EXPECT_THAT(failed, SizeIs(1));
  EXPECT_EQ(failed.at("b/fails/4KiB"), "on purpose");
  EXPECT_EQ(restored, 3 + 1);  // when settling and in each of two rounds, and at the failure
  EXPECT_EQ(left_wrong, 0U);
}

TEST_F(host_session, time_per_access_is_a_figure_where_there_are_accesses) {
  only_added_strategies();
  add_copy("a/copy", "h2d", [](transfer& copy) { copy.amount.accesses = 512; });
  add_copy("b/copy", "h2d");
  static_cast<void>(run_session());
  for (const auto& row : rows.content().at("benchmarks")) {
    const std::string name = row.at("name");
    ASSERT_EQ(row.contains("ns_per_access"), name.starts_with("a/")) << name;
    if (row.contains("ns_per_access")) {
      EXPECT_NEAR(row.at("ns_per_access").get<double>() * 512, row.at("median_ns").get<double>(),
                  1e-6 * row.at("median_ns").get<double>());
    }
  }
}

TEST_F(host_session, benchmarks_without_one_direction_have_no_link_limit) {
  only_added_strategies();
  link_limit = 50;
  add_copy("a/copy", "h2d");
  add_copy("b/copy", "h2d");
  strategies.back().shares_link = false;
  static_cast<void>(run_session());
  for (const auto& row : rows.content().at("benchmarks"))
    EXPECT_EQ(row.contains("link_percent"), row.at("name").get<std::string>().starts_with("a/"));
}

TEST_F(host_session, comparisons_are_figures_by_their_names) {
  only_added_strategies();
  const fake_clock clock;
  const auto taking = [](std::chrono::nanoseconds time) {
    return [time] { fake_clock::advance(time); };
  };
  add_copy("a/copy", "h2d", [&](transfer& copy) {
    copy.steps[0].run = taking(50us);
    copy.check.compare = [] { return std::nullopt; };
    copy.against = {
        {.name = "plain", .description = "", .run = taking(20us)},
        {.name = "other", .description = "", .run = taking(100us), .bytes = 2'000},
        {.name = "void", .description = "", .run = [] {}, .after = [] { return false; }}};
  });
  EXPECT_THAT(run_session().failures, IsEmpty());
  for (const auto& row : rows.content().at("benchmarks")) {
    SCOPED_TRACE(row.dump());
    const auto value = [&](const char* key) { return row.at(key).get<double>(); };
    EXPECT_NEAR(value("plain_ns"), 20e3, 5);
    EXPECT_NEAR(value("median_ns"), 50e3, 5);
    EXPECT_NEAR(value("over_plain_ns"), 30e3, 5);
    EXPECT_NEAR(value("other_ns"), 100e3, 5);
    EXPECT_NEAR(value("other_gb_per_s") * value("other_ns"), 2'000, 1);
    EXPECT_FALSE(row.contains("plain_gb_per_s"));
    EXPECT_FALSE(row.contains("over_other_ns"));
    EXPECT_FALSE(row.contains("void_ns"));
  }
}

TEST_F(host_session, streams_of_a_strategys_own_are_waited_for_before_the_buffers_are_restored) {
  only_added_strategies();
  add_copy("a/leaves", "d2h", [this](transfer& copy) {
    const std::shared_ptr<transfers::stream> other_stream = device->create_stream();
    copy.steps[0].run = [other_stream, to = *copy.destination] {
      other_stream->call([to] {
        std::this_thread::sleep_for(5ms);
        std::fill_n(to.data, to.bytes, std::byte{3});
      });
      throw transfers::device_error("on purpose", false);
    };
  });
  EXPECT_THAT(run_session().failures, SizeIs(1));
  EXPECT_EQ(left_wrong, 0U);
}

/// CPU time that operations take, with a known wall time.
class price : public host_session {
 protected:
  price() {
    only_added_strategies();
    chosen.min_time = 5ms;
  }

  /// Adds a copy that takes a millisecond and does `work` meanwhile.
  void add_working(const std::string& name, std::function<void()> work,
                   std::function<void(transfer&)> change = {}) {
    add_copy(name, "h2d", [=](transfer& copy) {
      copy.steps[0].run = [work, before = copy.steps[0].run] {
        before();
        work();
        fake_clock::advance(1ms);
      };
      if (change) change(copy);
    });
  }

  [[nodiscard]] std::vector<double> each(const std::string& name, const char* counter) const {
    std::vector<double> values;
    for (const auto& row : rows.content().at("benchmarks"))
      if (row.at("name") == name) values.push_back(row.at(counter).get<double>());
    return values;
  }

 private:
  fake_clock clock_;
};

TEST_F(price, is_the_cpu_time_of_all_threads) {
  std::atomic<std::int64_t> longest_ns = 0;  // of any operation: on a busy machine over 1 ms
  const auto work = [&longest_ns] {
    const std::int64_t used_ns = use_processor_for(1ms).count();
    auto longest = longest_ns.load();
    while (longest < used_ns && !longest_ns.compare_exchange_weak(longest, used_ns)) {
    }
  };
  add_working("a/sleeping", [] {});
  add_working("b/spinning", work);
  // Not by a worker_team, whose threads go on waiting for work for a moment: that is not free.
  add_working("c/threads", [work] {
    const std::array<std::jthread, 3> threads{std::jthread(work), std::jthread(work),
                                              std::jthread(work)};
  });
  EXPECT_THAT(run_session().failures, IsEmpty());
  EXPECT_THAT(each("a/sleeping/h2d/4KiB", "cores"), Each(Lt(0.3)));
  const double longest_s = static_cast<double>(longest_ns) * 1e-9;
  EXPECT_THAT(each("b/spinning/h2d/4KiB", "cores"), Each(Lt(1.1 * longest_s / 1e-3)));
  const double gigabytes = 4096e-9;
  EXPECT_THAT(each("b/spinning/h2d/4KiB", "cpu_s_per_gb"),
              Each(AllOf(Gt(0.9e-3 / gigabytes), Lt(1.5 * longest_s / gigabytes))));
  EXPECT_THAT(each("c/threads/h2d/4KiB", "cpu_s_per_gb"),
              Each(AllOf(Gt(2.7e-3 / gigabytes), Lt(4.5 * longest_s / gigabytes))));
}

TEST_F(price, excludes_untimed_work) {
  add_working(
      "a/sleeping", [] {},
      [](transfer& copy) {
        copy.timing.between = [] { use_processor_for(4ms); };
        copy.against = {
            {.name = "plain", .description = "", .run = [] { use_processor_for(4ms); }}};
        copy.check.compare = [] {
          use_processor_for(4ms);
          return std::nullopt;
        };
      });
  EXPECT_THAT(run_session().failures, IsEmpty());
  EXPECT_THAT(each("a/sleeping/h2d/4KiB", "cores"), Each(Lt(0.3)));
}

TEST_F(price, is_seconds_for_10_to_the_9_bytes) {
  add_working("a/spinning", [] { use_processor_for(1ms); });
  static_cast<void>(run_session());
  for (const auto& row : rows.content().at("benchmarks")) {
    const double cores = row.at("cores");
    const double mean_s = row.at("mean_ns").get<double>() * 1e-9;
    const double gigabytes = 4096e-9;
    EXPECT_NEAR(row.at("cpu_s_per_gb").get<double>(), cores * mean_s / gigabytes,
                1e-6 * cores * mean_s / gigabytes);
  }
}

TEST_F(price, in_seconds_is_missing_without_bytes) {
  chosen.strategies = {"null"};
  strategies = registered_strategies();
  static_cast<void>(run_session());
  for (const auto& row : rows.content().at("benchmarks")) {
    EXPECT_TRUE(row.contains("cores"));
    EXPECT_FALSE(row.contains("cpu_s_per_gb"));
  }
}

TEST_F(price, names_multiprocessors_where_the_strategy_does) {
  add_copy("a/copy", "h2d", [](transfer& copy) { copy.amount.multiprocessors = 8; });
  add_copy("b/copy", "h2d");
  static_cast<void>(run_session());
  for (const auto& row : rows.content().at("benchmarks")) {
    const bool named = row.at("name").get<std::string>().starts_with("a/");
    ASSERT_EQ(row.contains("multiprocessors"), named);
    if (named) {
      EXPECT_EQ(row.at("multiprocessors"), 8);
    }
  }
}

}  // namespace
}  // namespace bench_transfers::bench::session_for_strategies_test
