#include "bench/harness/session.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/harness/interruption.hpp"
#include "bench/harness/reserve.hpp"
#include "src/common/writing.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/fake_clock.hpp"
#include "tests/unit/bench/host_session.hpp"
#include "tests/unit/common/temporary_folder.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::session_test {
namespace {

constexpr const char* reader =
    "copy/pageable/h2d/4KiB";  // reads memory that others may have damaged

TEST_F(host_session, measures_every_benchmark_in_every_round) {
  const auto result = run_session();
  EXPECT_THAT(result.lost_devices, IsEmpty());
  EXPECT_THAT(result.failures, IsEmpty());
  EXPECT_THAT(result.skipped, IsEmpty());
  EXPECT_EQ(planned.cases.size(), 5U * 2 * 2 + 2);
  EXPECT_EQ(result.runs.size(), planned.cases.size() * 2);
  EXPECT_EQ(rows.content().at("benchmarks").size(), planned.cases.size() * 2);
  expect_all_others_ran(result);
  EXPECT_EQ(left_wrong, 0U);
  for (const auto& benchmark : planned.cases) {
    std::set<int> repetitions;
    for (const auto& row : rows.content().at("benchmarks"))
      if (row.at("run_name") == benchmark.name) {
        EXPECT_EQ(row.at("name"), benchmark.name);
        EXPECT_EQ(row.at("repetitions"), 2);
        repetitions.insert(row.at("repetition_index").get<int>());
      }
    EXPECT_THAT(repetitions, ElementsAre(0, 1)) << benchmark.name;
  }
}

/// Takes note of what a session tells other processes.
class noted_turns final : public turns {
 public:
  [[nodiscard]] std::size_t count() const noexcept override { return 2; }
  void beat() noexcept override { ++beats; }
  void wait() override { calls.emplace_back("wait"); }
  void end() override { calls.emplace_back("end"); }
  void leave() noexcept override { calls.emplace_back("leave"); }
  [[nodiscard]] std::unique_ptr<meeting> meet(std::uint64_t) override { return nullptr; }
  [[nodiscard]] std::vector<common::message> warnings() const override {
    return {{"lost", {}, "a rank is lost"}};
  }

  std::vector<std::string> calls;
  std::size_t beats = 0;
};

/// A session of one of two processes, with time for both turns.
class turn : public host_session {
 protected:
  std::size_t rounds_within(std::chrono::seconds time) {
    others = &noted;
    only_added_strategies();
    add_copy("copied", "h2d");
    chosen.rounds = 5;
    chosen.time_of_turns = time;
    const auto result = run_session();
    EXPECT_THAT(result.warnings, SizeIs(1));
    return result.runs.size();
  }

  noted_turns noted;
};

TEST_F(turn, waits_and_ends_and_gives_a_sign_of_life_before_each_benchmark) {
  EXPECT_EQ(rounds_within(1000s), 5U);
  EXPECT_THAT(noted.calls, ElementsAre("wait", "end", "leave"));
  EXPECT_EQ(noted.beats, 1U + 5U);
}
TEST_F(turn, has_fewer_rounds_where_its_time_is_over) { EXPECT_EQ(rounds_within(0s), 3U); }
TEST_F(turn, has_all_rounds_where_there_is_time) { EXPECT_EQ(rounds_within(1000s), 5U); }

/// Reports an additional throttle reason at each call.
class made_up_monitor final : public machine::gpu_monitor {
 public:
  [[nodiscard]] std::optional<std::vector<int>> nearest_nodes() const override { return {}; }
  [[nodiscard]] std::optional<bool> is_divided() const override { return {}; }
  [[nodiscard]] machine::gpu_settings settings() const override { return {}; }
  [[nodiscard]] machine::gpu_clocks read() const override {
    ++reads;
    machine::gpu_clocks now;
    if (reads > 1) now.throttled_by = {"reason " + std::to_string(reads)};
    return now;
  }
  mutable int reads = 0;
};

TEST_F(host_session, reads_the_gpu_after_each_round) {
  chosen.rounds = 3;
  const made_up_monitor gpu;
  monitor = &gpu;
  const auto result = run_session();
  EXPECT_EQ(gpu.reads, 3);
  ASSERT_THAT(result.throttled_by, SizeIs(1));
  EXPECT_EQ(result.throttled_by[0], (machine::throttle_reasons{"reason 2", "reason 3"}));
}

TEST_F(host_session, knows_no_throttle_reasons_without_a_monitor) {
  EXPECT_THAT(run_session().throttled_by, ElementsAre(std::nullopt));
}

TEST_F(host_session, figures_agree_with_each_other) {
  link_limit = 50;
  static_cast<void>(run_session());
  for (const auto& row : rows.content().at("benchmarks")) {
    SCOPED_TRACE(row.dump());
    const auto value = [&](const char* key) { return row.at(key).get<double>(); };
    EXPECT_GT(value("min_ns"), 0);
    double before = 0;
    for (const char* key : {"min_ns", "p5_ns", "median_ns", "p95_ns", "p99_ns", "max_ns"}) {
      if (!row.contains(key)) continue;
      EXPECT_LE(before, value(key)) << key;
      before = value(key);
    }
    EXPECT_EQ(row.contains("p95_ns"), value("operations") / value("batch") >= 100);
    EXPECT_GE(value("mean_ns"), value("min_ns"));
    EXPECT_LE(value("mean_ns"), value("max_ns"));
    EXPECT_NEAR(value("real_time"), value("median_ns"), 1e-6 * value("median_ns"));
    const auto operations = row.at("operations").get<long>();
    const auto batch = row.at("batch").get<long>();
    EXPECT_GE(batch, 1);
    EXPECT_EQ(operations % batch, 0);
    EXPECT_GE(operations / batch, 3);
    EXPECT_EQ(row.at("iterations"), operations);
    EXPECT_FALSE(row.contains("device_ns"));  // the host has no clock of its own

    const std::string name = row.at("name");
    if (name.starts_with("null/")) {
      for (const char* key : {"bytes", "gb_per_s", "link_percent"}) EXPECT_FALSE(row.contains(key));
      continue;
    }
    EXPECT_EQ(value("bytes"), name.ends_with("/4KiB") ? 4096 : 65536);
    EXPECT_NEAR(value("gb_per_s") * value("median_ns"), value("bytes"), 1e-6 * value("bytes"));
    EXPECT_NEAR(value("link_percent"), 2 * value("gb_per_s"), 1e-6 * value("link_percent"));
    // Only asynchronous ones have several steps.
    const bool by_step = !name.starts_with("copy/");
    EXPECT_EQ(row.contains("enqueue_ns"), by_step);
    EXPECT_EQ(row.contains("wait_ns"), by_step);
    // A single step is the whole operation.
    if (!by_step) {
      EXPECT_EQ(value("copy_ns"), value("median_ns"));
    }
    if (by_step) {
      EXPECT_LE(value("enqueue_ns"), value("max_ns"));
    }
  }
}

TEST_F(host_session, cold_benchmarks_are_measured_too) {
  chosen.strategies = {"copy/pageable"};
  chosen.cold_sizes = {64 * kib};
  const auto result = run_session();
  EXPECT_THAT(result.failures, IsEmpty());
  EXPECT_EQ(std::ranges::count(names(result.runs), "copy/pageable/d2h/64KiB/cold"), 2);
}

TEST_F(host_session, without_a_known_link_there_is_no_percentage) {
  chosen.strategies = {"copy/pageable"};
  static_cast<void>(run_session());
  for (const auto& row : rows.content().at("benchmarks"))
    EXPECT_FALSE(row.contains("link_percent"));
}

TEST_F(host_session, the_seed_decides_the_order) {
  const auto first = names(run_session().runs);
  EXPECT_EQ(names(run_session().runs), first);
  const auto half = static_cast<std::ptrdiff_t>(first.size() / 2);
  const std::vector round_0(first.begin(), first.begin() + half);
  const std::vector round_1(first.begin() + half, first.end());
  EXPECT_NE(round_0, round_1);
  EXPECT_TRUE(std::ranges::is_permutation(round_0, round_1));
  EXPECT_NE(round_0, planned_names());
  chosen.seed = 6;
  EXPECT_NE(names(run_session().runs), first);
}

TEST_F(host_session, without_shuffling_the_order_is_that_of_the_plan) {
  chosen.shuffle = false;
  const auto order = names(run_session().runs);
  auto expected = planned_names();
  const auto once = expected;
  expected.insert(expected.end(), once.begin(), once.end());
  EXPECT_EQ(order, expected);
}

TEST_F(host_session, corruption_is_a_failure_of_its_benchmark_alone) {
  chosen.faults = {parse_fault("corrupt@^copy/pageable/d2h/4KiB$"),
                   parse_fault("corrupt@^copy_async/pinned/d2h")};
  const auto result = run_session();
  const auto failed = by_name(result.failures);
  EXPECT_THAT(failed, SizeIs(3));
  for (const char* name :
       {"copy/pageable/d2h/4KiB", "copy_async/pinned/d2h/4KiB", "copy_async/pinned/d2h/64KiB"}) {
    ASSERT_TRUE(failed.contains(name)) << name;
    EXPECT_THAT(failed.at(name), AllOf(HasSubstr("wrong data: 1 of "), HasSubstr("offset 0")));
  }
  expect_all_others_ran(result);
  EXPECT_EQ(left_wrong, 0U);
}

TEST_F(host_session, a_failure_has_a_row_that_says_so_without_figures) {
  chosen.strategies = {"copy/pageable"};
  chosen.faults = {parse_fault("corrupt@d2h/4KiB")};
  static_cast<void>(run_session());
  std::size_t failed = 0;
  for (const auto& row : rows.content().at("benchmarks")) {
    if (row.at("run_name") != "copy/pageable/d2h/4KiB") continue;
    ++failed;
    EXPECT_EQ(row.at("error_occurred"), true);
    EXPECT_THAT(row.at("error_message"), StartsWith("wrong data"));
    EXPECT_FALSE(row.contains("median_ns"));
  }
  EXPECT_EQ(failed, 1U);
}

TEST_F(host_session, a_failing_operation_does_not_stop_the_others) {
  chosen.faults = {parse_fault("fail@^zero_copy/pinned_mapped/read"),
                   parse_fault("fail@^copy/pageable/d2h/64KiB$")};
  const auto result = run_session();
  const auto failed = by_name(result.failures);
  EXPECT_THAT(failed, SizeIs(3));
  for (const auto& [name, reason] : failed) EXPECT_THAT(reason, HasSubstr("injected")) << name;
  EXPECT_TRUE(failed.contains("copy/pageable/d2h/64KiB"));
  expect_all_others_ran(result);
  EXPECT_EQ(left_wrong, 0U);
}

TEST_F(host_session, after_a_lost_device_nothing_runs) {
  chosen.faults = {parse_fault("lose@^copy/pinned/h2d/4KiB$")};
  const auto result = run_session();
  EXPECT_THAT(result.lost_devices, ElementsAre(0U));
  EXPECT_THAT(result.runs, IsEmpty());
  const auto failed = by_name(result.failures);
  EXPECT_EQ(failed.size(), planned.cases.size());
  for (const auto& [name, reason] : failed)
    EXPECT_THAT(reason, name == "copy/pinned/h2d/4KiB"
                            ? testing::Matcher<std::string>(HasSubstr("injected"))
                            : AllOf(StartsWith("not run: the device was lost"),
                                    HasSubstr("copy/pinned/h2d/4KiB")))
        << name;
}

TEST_F(host_session, a_device_lost_in_the_last_round_leaves_what_was_measured_before) {
  only_added_strategies();
  chosen.shuffle = false;
  add_copy("a/copy", "h2d");
  int prepared = 0;
  add_copy("b/copy", "h2d", [&](transfer& copy) {
    if (++prepared < 3) return;  // once to settle, once in the first round
    copy.steps[0].run = [] { throw transfers::device_error("fallen off the bus", true); };
  });
  add_copy("c/copy", "h2d");
  const auto result = run_session();
  EXPECT_THAT(names(result.runs), ElementsAre("a/copy/h2d/4KiB", "b/copy/h2d/4KiB",
                                              "c/copy/h2d/4KiB", "a/copy/h2d/4KiB"));
  const auto failed = by_name(result.failures);
  EXPECT_THAT(failed, SizeIs(2));
  EXPECT_EQ(failed.at("b/copy/h2d/4KiB"), "fallen off the bus");
  EXPECT_THAT(failed.at("c/copy/h2d/4KiB"),
              AllOf(StartsWith("not run"), HasSubstr("b/copy/h2d/4KiB"), HasSubstr("fallen off")));
}

TEST_F(host_session, an_operation_that_turns_out_unsupported_is_skipped) {
  only_added_strategies();
  add_copy("a/copy", "h2d");
  add_copy("b/copy", "h2d",
           [](transfer&) { throw transfers::unsupported("no address for this memory"); });
  const auto result = run_session();
  EXPECT_THAT(result.failures, IsEmpty());
  ASSERT_THAT(result.skipped, SizeIs(1));
  EXPECT_EQ(result.skipped[0].name, "b/copy/h2d/4KiB");
  EXPECT_EQ(result.skipped[0].reason.text, "no address for this memory");
  EXPECT_THAT(names(result.runs), ElementsAre("a/copy/h2d/4KiB", "a/copy/h2d/4KiB"));
}

struct breakage {
  const char* name;
  std::function<void(transfer&)> broken;
  const char* reason;  ///< why it fails; null when it is skipped
};

void PrintTo(const breakage& breakage, std::ostream* out) { *out << breakage.name; }

/// A broken strategy that writes into memory that another strategy reads.
class broken_strategy : public host_session, public testing::WithParamInterface<breakage> {};

TEST_P(broken_strategy, does_not_affect_others) {
  only_added_strategies();
  add_copy("a/broken", "d2h", GetParam().broken);
  add_copy("copy/pageable", "h2d");
  const auto result = run_session();
  const auto failed = by_name(result.failures);
  EXPECT_FALSE(failed.contains(reader)) << failed.at(reader);
  EXPECT_EQ(std::ranges::count(names(result.runs), reader), 2);
  if (GetParam().reason != nullptr) {
    ASSERT_TRUE(failed.contains("a/broken/d2h/4KiB"));
    EXPECT_THAT(failed.at("a/broken/d2h/4KiB"), HasSubstr(GetParam().reason));
  } else {
    ASSERT_THAT(result.skipped, SizeIs(1));
    EXPECT_EQ(result.skipped[0].name, "a/broken/d2h/4KiB");
  }
  EXPECT_EQ(left_wrong, 0U);
}

template <class Error>
std::function<void(transfer&)> throwing(Error error) {
  return [error](transfer& copy) { copy.steps[0].run = [error] { throw error; }; };
}

INSTANTIATE_TEST_SUITE_P(
    copies, broken_strategy,
    testing::Values(
        breakage{"copying_nothing", [](transfer& copy) { copy.steps[0].run = [] {}; },
                 "4096 of 4096 bytes differ"},
        breakage{"writing_behind_the_end",
                 [](transfer& copy) {
                   const auto& to = *copy.destination;
                   copy.steps.push_back({"more", [end = to.data + to.bytes] { *end = ~*end; }});
                 },
                 "behind the end"},
        breakage{"throwing_in_the_first_operation",
                 throwing(transfers::device_error("an illegal address", false)),
                 "an illegal address"},
        breakage{"throwing_something_else", throwing(std::runtime_error("out of luck")),
                 "out of luck"},
        breakage{"throwing_in_prepare",
                 [](transfer&) { throw transfers::device_error("no stream to be had", false); },
                 "no stream to be had"},
        breakage{"being_unsupported_only_when_run",
                 throwing(transfers::unsupported("operation not supported")), nullptr}),
    [](const auto& instance) { return instance.param.name; });

TEST_F(host_session, every_strategy_there_is_runs_and_leaves_the_buffers_as_they_were) {
  chosen.strategies.clear();
  chosen.sizes = {1001, 65'539};
  chosen.own_sizes = true;
  chosen.rounds = 1;
  buffers memory(*device, chosen.seed);
  planned = make_plan(strategies, *device, chosen);
  reserve_buffers(planned, {{*device, memory}});
  auto result =
      session({{*device, memory, link_limit}}, chosen, rows, shown, around).measure(planned);
  // On a busy machine one operation may take so long that the only repetition does not count.
  std::erase_if(result.failures,
                [](const auto& failure) { return failure.reason.code == "disturbed"; });
  EXPECT_THAT(result.failures, IsEmpty())
      << result.failures.front().name << ": " << result.failures.front().reason.text;
  EXPECT_THAT(result.skipped, IsEmpty());
  for (const auto& [kind, block] : memory.all_host())
    EXPECT_EQ(check_host_pattern(block.data(), 0, block.size(), memory.pattern()).wrong_bytes, 0U)
        << to_string(kind);
}

/// Whether --inject can corrupt a benchmark's data: the harness knows where they arrive, or the
/// strategy corrupts them itself.
bool is_corruptible(const benchmark_case& benchmark, const job& task) {
  const auto operation = benchmark.measured->prepare(task);
  return operation.destination || operation.locate || operation.check.corrupt;
}

TEST_F(host_session, a_corrupted_byte_is_noticed_whatever_the_strategy) {
  chosen.strategies.clear();
  chosen.sizes = {4 * kib};
  chosen.own_sizes = true;
  chosen.rounds = 1;
  chosen.faults = {parse_fault("corrupt@.")};
  buffers memory(*device, chosen.seed);
  planned = make_plan(strategies, *device, chosen);
  reserve_buffers(planned, {{*device, memory}});
  const auto result =
      session({{*device, memory, link_limit}}, chosen, rows, shown, around).measure(planned);
  const auto failed = by_name(result.failures);
  const auto stream = device->create_stream();
  for (const auto& benchmark : planned.cases) {
    SCOPED_TRACE(benchmark.name);
    const auto direction = benchmark.direction == result_file::direction::d2h
                               ? transfers::direction::d2h
                               : transfers::direction::h2d;
    const bool expected = is_corruptible(
        benchmark, {*device, memory, *stream,
                    benchmark.variant ? std::string_view(*benchmark.variant) : std::string_view(),
                    benchmark.bytes(), benchmark.cache, direction});
    EXPECT_EQ(failed.contains(benchmark.name), expected);
    if (benchmark.role == roles::copy.name || benchmark.name.starts_with("message/")) {
      EXPECT_TRUE(expected);
    }
  }
}

TEST_F(host_session, a_strategy_may_verify_by_itself) {
  only_added_strategies();
  const auto verified_by = [](std::optional<std::string> verdict) {
    return [verdict](transfer& copy) {
      copy.steps[0].run = [] {};  // the harness's verification would refuse this
      copy.check.compare = [verdict] { return verdict; };
    };
  };
  add_copy("a/content", "d2h", verified_by(std::nullopt));
  add_copy("b/discontent", "d2h", verified_by("too green"));
  add_copy("copy/pageable", "h2d");
  const auto result = run_session();
  const auto failed = by_name(result.failures);
  EXPECT_THAT(failed, SizeIs(1));
  EXPECT_EQ(failed.at("b/discontent/d2h/4KiB"), "wrong data: too green");
  EXPECT_EQ(left_wrong, 0U);
}

TEST_F(host_session, a_source_that_a_strategy_changes_is_restored) {
  only_added_strategies();
  add_copy("a/changes", "h2d", [](transfer& copy) {
    std::fill_n(copy.source->data, copy.source->bytes, std::byte{7});
    copy.check.changes_source = true;
    copy.check.compare = [] { return std::nullopt; };
  });
  add_copy("copy/pageable", "h2d");
  EXPECT_THAT(run_session().failures, IsEmpty());
  EXPECT_EQ(left_wrong, 0U);
}

TEST_F(host_session, a_newly_allocated_destination_is_found_and_verified) {
  only_added_strategies();
  const auto to_new_memory = [](bool complete) {
    return [complete](transfer& copy) {
      const auto memory = std::make_shared<std::vector<std::byte>>();
      copy.destination.reset();
      copy.locate = [memory] {
        return payload{memory->data(), memory->size(), false, nullptr, 0, 0};
      };
      copy.steps[0].run = [memory, complete, from = *copy.source] {
        memory->assign(from.data, from.data + from.bytes);
        if (!complete) memory->back() = ~memory->back();
      };
    };
  };
  add_copy("a/whole", "h2d", to_new_memory(true));
  add_copy("b/damaged", "h2d", to_new_memory(false));
  const auto failed = by_name(run_session().failures);
  EXPECT_THAT(failed, SizeIs(1));
  EXPECT_THAT(failed.at("b/damaged/h2d/4KiB"), HasSubstr("1 of 4096 bytes differ"));
}

TEST_F(host_session, an_operation_that_fails_before_allocating_does_not_affect_others) {
  only_added_strategies();
  const auto with_nothing_made = [](std::function<void(transfer&)> throwing) {
    return [throwing](transfer& copy) {
      copy.destination.reset();
      copy.locate = [] { return payload{}; };
      copy.check.compare = [] { return std::nullopt; };
      throwing(copy);
    };
  };
  add_copy("a/fails", "h2d",
           with_nothing_made(throwing(transfers::device_error("on purpose", false))));
  add_copy("b/refused", "h2d", with_nothing_made(throwing(transfers::out_of_memory("no memory"))));
  add_copy("copy/pageable", "h2d");
  const auto result = run_session();
  EXPECT_EQ(by_name(result.failures),
            (std::map<std::string, std::string>{{"a/fails/h2d/4KiB", "on purpose"}}));
  ASSERT_THAT(result.skipped, SizeIs(1));
  EXPECT_EQ(result.skipped[0].name, "b/refused/h2d/4KiB");
  EXPECT_EQ(std::ranges::count(names(result.runs), reader), 2);
  EXPECT_EQ(left_wrong, 0U);
}

TEST_F(host_session, work_between_operations_is_not_timed) {
  only_added_strategies();
  const fake_clock clock;
  int between = 0;
  add_copy("a/copy", "h2d", [&](transfer& copy) {
    copy.steps.push_back({"more", [] { fake_clock::advance(30us); }});
    copy.timing.between = [&between] {
      ++between;
      fake_clock::advance(2ms);
    };
    copy.amount.bytes = 4000;
  });
  const auto result = run_session();
  EXPECT_GT(between, 0);
  for (const auto& row : rows.content().at("benchmarks")) {
    EXPECT_NEAR(row.at("median_ns").get<double>(), 30e3, 5);
    EXPECT_EQ(row.at("bytes"), 4000);
  }
}

TEST_F(host_session, an_interruption_before_the_first_operation_of_a_repetition_is_no_failure) {
  only_added_strategies();
  // Interrupted in `prepare` of the first repetition: no operation has run that could be verified.
  int prepared = 0;
  add_copy("a/copy", "h2d", [&](transfer&) {
    if (++prepared == 2) raise(SIGTERM);
  });
  const auto exit_code = [&] {
    watch_for_interruption();
    const auto result = run_session();
    if (result.signal != SIGTERM || prepared != 2) return 1;
    return result.failures.empty() && result.runs.empty() ? 42 : 2;
  };
  // In its own process, because a recorded signal stays.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::_Exit(exit_code()), testing::ExitedWithCode(42), "");
}

TEST_F(host_session, a_result_file_that_cannot_be_written_ends_it) {
  {
    const common::temporary_folder folder;
    rows = result_file::writer(folder.path() / "results.json", {{"transfers", nullptr}});
  }
  chosen.min_time = 2ms;
  const auto result = run_session();
  EXPECT_THROW(std::rethrow_exception(result.write_failure), common::write_error);
  EXPECT_THAT(result.runs, Not(IsEmpty()));
  EXPECT_LT(result.runs.size(), planned.cases.size() * 2);
}

}  // namespace
}  // namespace bench_transfers::bench::session_test
