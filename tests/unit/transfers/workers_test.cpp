#include "transfers/core/workers.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "tests/basics.hpp"

namespace transfers::workers_test {
namespace {

/// Longer than the threads of a team poll for the next task: then they sleep.
constexpr auto long_enough_to_sleep = 3ms;

/// The number of runs of each part in one run of the team.
std::vector<int> counts_of_run(worker_team& team) {
  std::vector<std::atomic<int>> counts(team.size());
  team.run([&](unsigned index) { ++counts.at(index); });
  return {counts.begin(), counts.end()};
}

class a_team : public testing::TestWithParam<unsigned> {};

TEST_P(a_team, runs_each_part_once) {
  worker_team team(GetParam());
  ASSERT_EQ(team.size(), GetParam());
  const auto counts = counts_of_run(team);
  EXPECT_EQ(counts.size(), GetParam());
  EXPECT_THAT(counts, Each(1));
}

TEST_P(a_team, runs_part_0_in_the_callers_thread_and_each_other_part_in_its_own) {
  worker_team team(GetParam());
  std::vector<std::thread::id> first(team.size());
  std::vector<std::thread::id> second(team.size());
  team.run([&](unsigned index) { first[index] = std::this_thread::get_id(); });
  team.run([&](unsigned index) { second[index] = std::this_thread::get_id(); });
  EXPECT_EQ(first[0], std::this_thread::get_id());
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), team.size());
  EXPECT_EQ(first, second);  // no threads are started for a task
}

TEST_P(a_team, is_used_repeatedly) {
  worker_team team(GetParam());
  // Not atomic: when run() returns, the writes of all parts must be visible.
  std::vector<std::size_t> runs(team.size());
  std::size_t sum = 0;
  constexpr std::size_t tasks = 3000;
  for (std::size_t i = 0; i < tasks; ++i) {
    team.run([&](unsigned index) { runs[index] += i; });
    sum = std::accumulate(runs.begin(), runs.end(), std::size_t{0});
    ASSERT_EQ(sum, team.size() * (i * (i + 1) / 2)) << "after task " << i;
  }
  EXPECT_THAT(runs, Each(tasks * (tasks - 1) / 2));
}

TEST_P(a_team, shares_work_with_those_that_come) {
  worker_team team(GetParam());
  for (const unsigned wake : {0U, 1U, 100U})
    for (int task = 0; task < 300; ++task) {
      // Not atomic: when share() returns, the writes of all calls must be visible.
      std::vector<int> done(64);
      std::atomic<std::size_t> next = 0;
      const auto caller = std::this_thread::get_id();
      team.share(
          [&](unsigned index) {
            EXPECT_EQ(index == 0, std::this_thread::get_id() == caller);
            EXPECT_LT(index, team.size());
            for (auto i = next++; i < done.size(); i = next++) ++done[i];
          },
          wake);
      ASSERT_THAT(done, Each(1));
    }
}

TEST_P(a_team, takes_turns_between_tasks_that_are_shared_and_tasks_of_all) {
  worker_team team(GetParam());
  for (int i = 0; i < 300; ++i) {
    std::atomic<int> calls = 0;
    team.share([&](unsigned /*index*/) { ++calls; }, team.size());
    EXPECT_GE(calls, 1);
    EXPECT_THAT(counts_of_run(team), Each(1));
    if (i % 100 == 0) std::this_thread::sleep_for(long_enough_to_sleep);
  }
}

TEST_P(a_team, wakes_threads_for_a_shared_task) {
  worker_team team(GetParam());
  std::this_thread::sleep_for(long_enough_to_sleep);
  std::atomic<unsigned> came = 0;
  std::vector<std::atomic<bool>> has_come(team.size());
  // Without an end unless all come.
  team.share(
      [&](unsigned index) {
        if (!has_come[index].exchange(true)) ++came;
        while (came < team.size()) std::this_thread::yield();
      },
      team.size());
  EXPECT_EQ(came, team.size());
}

TEST_P(a_team, passes_on_what_a_shared_task_throws) {
  worker_team team(GetParam());
  EXPECT_THROW(team.share([](unsigned /*index*/) { throw std::runtime_error("fails"); }, 1),
               std::runtime_error);
  EXPECT_THAT(counts_of_run(team), Each(1));
}

TEST_P(a_team, wakes_up_from_sleep) {
  worker_team team(GetParam());
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(long_enough_to_sleep);
    EXPECT_THAT(counts_of_run(team), Each(1));
  }
}

TEST_P(a_team, waits_for_the_slowest) {
  worker_team team(GetParam());
  for (unsigned slow = 0; slow < team.size(); ++slow) {
    std::atomic<bool> finished = false;
    team.run([&](unsigned index) {
      if (index != slow) return;
      std::this_thread::sleep_for(long_enough_to_sleep);  // the caller goes to sleep, too
      finished = true;
    });
    EXPECT_TRUE(finished) << slow;
  }
}

TEST_P(a_team, finishes_all_parts_when_one_throws_and_can_be_used_afterwards) {
  worker_team team(GetParam());
  for (unsigned thrower = 0; thrower < team.size(); ++thrower) {
    std::vector<std::atomic<int>> finished(team.size());
    const auto run = [&] {
      team.run([&](unsigned index) {
        if (index == thrower) throw std::runtime_error("part " + std::to_string(index));
        std::this_thread::sleep_for(1ms);
        ++finished[index];
      });
    };
    EXPECT_THAT(run, ThrowsMessage<std::runtime_error>("part " + std::to_string(thrower)));

    for (unsigned i = 0; i < team.size(); ++i) EXPECT_EQ(finished[i], i == thrower ? 0 : 1) << i;
    // The next run succeeds.
    EXPECT_THAT(counts_of_run(team), Each(1));
  }
}

TEST_P(a_team, throws_one_exception_when_all_throw) {
  worker_team team(GetParam());
  for (int i = 0; i < 100; ++i)
    EXPECT_THROW(team.run([](unsigned index) { throw std::out_of_range(std::to_string(index)); }),
                 std::out_of_range);
  EXPECT_THAT(counts_of_run(team), Each(1));
}

TEST_P(a_team, ends_awake_or_asleep_used_or_not) {
  for (int i = 0; i < 50; ++i) const worker_team never_used(GetParam());
  for (int i = 0; i < 50; ++i) {
    worker_team used(GetParam());
    EXPECT_THAT(counts_of_run(used), Each(1));
  }
  {
    const worker_team never_used(GetParam());
    std::this_thread::sleep_for(long_enough_to_sleep);
  }
  worker_team used(GetParam());
  EXPECT_THAT(counts_of_run(used), Each(1));
  std::this_thread::sleep_for(long_enough_to_sleep);
}

TEST_P(a_team, is_waited_for_when_it_ends) {
  std::atomic<int> running = 0;
  for (int i = 0; i < 20; ++i) {
    worker_team team(GetParam());
    EXPECT_THROW(team.run([&](unsigned index) {
      if (index == 0) throw std::runtime_error("the caller's part");
      ++running;
      std::this_thread::sleep_for(100us);
      --running;
    }),
                 std::runtime_error);
    EXPECT_EQ(running, 0);  // also when the caller's own part has failed at once
  }
}

INSTANTIATE_TEST_SUITE_P(threads, a_team, testing::Values(1U, 2U, 3U, 5U, 20U),
                         testing::PrintToStringParamName());

TEST(worker_team, of_no_threads_is_the_caller_alone) {
  worker_team team(0);
  EXPECT_EQ(team.size(), 1U);
  EXPECT_THAT(counts_of_run(team), ElementsAre(1));
}

TEST(worker_team, has_as_many_threads_as_usable_processors_by_default) {
  EXPECT_EQ(worker_team().size(), usable_processors());
}

TEST(worker_team, may_be_used_by_a_part_of_another) {
  worker_team outer(3);
  std::vector<std::atomic<int>> counts(3 * 4);
  for (int round = 0; round < 20; ++round)
    outer.run([&](unsigned i) {
      worker_team inner(4);
      for (int k = 0; k < 5; ++k) inner.run([&](unsigned j) { ++counts[i * 4 + j]; });
    });
  EXPECT_THAT(std::vector<int>(counts.begin(), counts.end()), Each(100));
}

TEST(worker_team, works_beside_others) {
  std::vector<std::thread> callers;
  std::vector<std::atomic<int>> counts(4);
  for (unsigned i = 0; i < 4; ++i)
    callers.emplace_back([&, i] {
      worker_team team(2 + i % 2);
      for (int k = 0; k < 500; ++k) team.run([&](unsigned) { ++counts[i]; });
    });
  for (auto& caller : callers) caller.join();
  EXPECT_THAT(std::vector<int>(counts.begin(), counts.end()), ElementsAre(1000, 1500, 1000, 1500));
}

TEST(worker_team, passes_on_an_exception_out_of_a_team_within) {
  worker_team outer(2);
  EXPECT_THROW(outer.run([](unsigned) {
    worker_team inner(2);
    inner.run([](unsigned index) {
      if (index == 1) throw std::domain_error("deep inside");
    });
  }),
               std::domain_error);
  EXPECT_THAT(counts_of_run(outer), ElementsAre(1, 1));
}

// --- Parts of a range --------------------------------------------------------------------------

using ranges = std::vector<std::pair<std::size_t, std::size_t>>;

ranges parts_of(worker_team& team, std::size_t total, std::size_t unit) {
  ranges parts;
  std::mutex mutex;
  in_parts(team, total, unit, [&](std::size_t first, std::size_t count) {
    const std::scoped_lock lock(mutex);
    parts.emplace_back(first, count);
  });
  std::ranges::sort(parts);
  return parts;
}

TEST(in_parts, covers_everything_once_in_whole_units) {
  for (const unsigned threads : {1U, 2U, 3U, 7U}) {
    worker_team team(threads);
    for (const std::size_t unit : {1U, 2U, 3U, 64U, 4096U})
      for (const std::size_t total : {1U, 2U, 3U, 5U, 63U, 64U, 65U, 127U, 1000U, 4095U, 4096U,
                                      4097U, 12'288U, 12'289U, 100'003U}) {
        SCOPED_TRACE(testing::Message() << threads << " threads, " << total << " by " << unit);
        const auto parts = parts_of(team, total, unit);
        ASSERT_FALSE(parts.empty());
        EXPECT_LE(parts.size(), threads);
        std::size_t next = 0;
        for (const auto& [first, count] : parts) {
          EXPECT_EQ(first, next);
          EXPECT_GT(count, 0U);
          EXPECT_EQ(first % unit, 0U);
          next = first + count;
          if (next != total) {
            EXPECT_EQ(count % unit, 0U);
          }
        }
        EXPECT_EQ(next, total);
      }
  }
}

TEST(in_parts, shares_evenly) {
  worker_team team(4);
  EXPECT_THAT(parts_of(team, 4000, 1),
              (ranges{{0, 1000}, {1000, 1000}, {2000, 1000}, {3000, 1000}}));
  EXPECT_THAT(parts_of(team, 10, 4), (ranges{{0, 4}, {4, 4}, {8, 2}}));
}

TEST(in_parts, of_one_unit_is_the_callers) {
  worker_team team(4);
  std::thread::id worker;
  in_parts(team, 64, 64, [&](std::size_t, std::size_t) { worker = std::this_thread::get_id(); });
  EXPECT_EQ(worker, std::this_thread::get_id());
  EXPECT_THAT(parts_of(team, 3, 64), (ranges{{0, 3}}));
}

TEST(in_parts, of_nothing_is_nothing) {
  worker_team team(4);
  EXPECT_THAT(parts_of(team, 0, 64), IsEmpty());
}

TEST(in_parts, throws_what_the_work_throws) {
  worker_team team(3);
  for (const std::size_t total : {10U, 30'000U})
    EXPECT_THROW(in_parts(team, total, 100,
                          [](std::size_t, std::size_t) { throw std::underflow_error("no"); }),
                 std::underflow_error);
  EXPECT_THAT(counts_of_run(team), Each(1));
}

// --- Parts in parallel -------------------------------------------------------------------------

struct shared_work {
  ranges parts;
  std::set<std::thread::id> threads;
};

shared_work run_in_parallel(std::size_t total, const shares& shares) {
  shared_work result;
  std::mutex mutex;
  in_parallel(total, shares, [&](std::size_t first, std::size_t count) {
    const std::scoped_lock lock(mutex);
    result.parts.emplace_back(first, count);
    result.threads.insert(std::this_thread::get_id());
  });
  std::ranges::sort(result.parts);
  return result;
}

TEST(in_parallel, takes_the_threads_that_have_enough_to_do) {
  const std::size_t cores = usable_processors();
  EXPECT_THAT(run_in_parallel(199, {.worth_a_thread = 100}).parts, (ranges{{0, 199}}));
  EXPECT_THAT(run_in_parallel(200, {.worth_a_thread = 100}).threads,
              SizeIs(std::min<std::size_t>(2, cores)));
  EXPECT_THAT(run_in_parallel(100 * cores, {.worth_a_thread = 1}).threads, SizeIs(cores));
  EXPECT_THAT(run_in_parallel(100 * cores, {.worth_a_thread = 1, .most_threads = 1}).threads,
              ElementsAre(std::this_thread::get_id()));
}

TEST(in_parallel, gives_out_whole_units) {
  if (usable_processors() < 2) GTEST_SKIP() << "one processor";
  EXPECT_THAT(run_in_parallel(1000, {.worth_a_thread = 1, .unit = 512, .most_threads = 2}).parts,
              (ranges{{0, 512}, {512, 488}}));
}

TEST(in_parallel, of_nothing_is_nothing) {
  EXPECT_THAT(run_in_parallel(0, {.worth_a_thread = 1}).parts, IsEmpty());
}

TEST(in_parallel, throws_what_the_work_throws_and_does_not_do_it_again) {
  std::atomic<int> calls = 0;
  EXPECT_THROW(in_parallel(1000, {.worth_a_thread = 1, .most_threads = 1},
                           [&](std::size_t, std::size_t) {
                             ++calls;
                             throw std::system_error(std::make_error_code(std::errc::io_error));
                           }),
               std::system_error);
  EXPECT_EQ(calls, 1);
}

/// While it exists, no thread can start, because no machine has room for the default stack.
class no_new_threads {
 public:
  no_new_threads() {
    pthread_attr_t enormous;
    pthread_attr_init(&enormous);
    pthread_getattr_default_np(&usual_);
    EXPECT_EQ(pthread_attr_setstacksize(&enormous, std::size_t{1} << 46), 0);
    EXPECT_EQ(pthread_setattr_default_np(&enormous), 0);
    pthread_attr_destroy(&enormous);
  }
  ~no_new_threads() {
    pthread_setattr_default_np(&usual_);
    pthread_attr_destroy(&usual_);
  }
  no_new_threads(const no_new_threads&) = delete;
  no_new_threads& operator=(const no_new_threads&) = delete;

 private:
  pthread_attr_t usual_;
};

TEST(in_parallel, works_in_the_callers_thread_if_no_thread_can_be_started) {
  const no_new_threads now;
  EXPECT_THROW(worker_team(2), std::system_error);
  const auto work = run_in_parallel(1000, {.worth_a_thread = 1});
  EXPECT_THAT(work.parts, (ranges{{0, 1000}}));
  EXPECT_THAT(work.threads, ElementsAre(std::this_thread::get_id()));
}

// --- Processors --------------------------------------------------------------------------------

std::vector<int> allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {};
  std::vector<int> all;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set)) all.push_back(i);
  return all;
}

/// For the calling thread and the threads that it starts.
void allow_only(const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const auto processor : processors) CPU_SET(processor, &set);
  ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
}

TEST(usable_processors, are_those_that_the_thread_may_run_on) {
  const auto all = allowed_processors();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(usable_processors(), all.size());
  // In another thread, so that other tests keep their processors.
  std::thread([&] {
    for (std::size_t count = 1; count <= std::min<std::size_t>(all.size(), 4); ++count) {
      allow_only({all.end() - static_cast<std::ptrdiff_t>(count), all.end()});
      EXPECT_EQ(usable_processors(), count);
      EXPECT_EQ(worker_team().size(), count);
    }
  }).join();
  EXPECT_EQ(usable_processors(), all.size());
}

TEST(usable_processors, are_the_same_for_the_threads_of_a_team) {
  const auto all = allowed_processors();
  ASSERT_FALSE(all.empty());
  std::thread([&] {
    allow_only({all.back()});
    worker_team team(3);
    std::vector<std::vector<int>> allowed(team.size());
    team.run([&](unsigned index) { allowed[index] = allowed_processors(); });
    EXPECT_THAT(allowed, Each(ElementsAre(all.back())));
    // More threads than processors.
    for (int i = 0; i < 200; ++i) EXPECT_THAT(counts_of_run(team), Each(1));
  }).join();
}

}  // namespace
}  // namespace transfers::workers_test
