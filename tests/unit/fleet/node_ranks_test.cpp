#include "src/fleet/ranks/node_ranks.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "src/fleet/ranks/meeting.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::fleet::node_ranks_test {
namespace {

/// Ranks in threads of this process, which share a folder of their own.
class node : public testing::Test {
 protected:
  [[nodiscard]] node_ranks::description rank(std::size_t number, std::size_t count,
                                             std::chrono::duration<double> wait = 100s) const {
    return {.job = "job",
            .rank = number,
            .count = count,
            .device = "GPU-" + std::to_string(number),
            .seed = number + 1,
            .wait = wait,
            .folder = folder};
  }

  /// Starts all of them at once.
  [[nodiscard]] std::vector<std::unique_ptr<node_ranks>> join(
      const std::vector<node_ranks::description>& described) const {
    std::vector<std::future<std::unique_ptr<node_ranks>>> joining;
    for (const auto& self : described)
      joining.push_back(
          std::async(std::launch::async, [self] { return std::make_unique<node_ranks>(self); }));
    std::vector<std::unique_ptr<node_ranks>> ranks;
    for (auto& joined : joining) ranks.push_back(joined.get());
    return ranks;
  }

  [[nodiscard]] std::filesystem::path file() const {
    const std::filesystem::directory_iterator entries(folder);
    return entries == std::filesystem::directory_iterator() ? "" : entries->path();
  }

  const common::temporary_folder own_folder;
  const std::filesystem::path& folder = own_folder.path();
};

/// A rank that measures: it gives signs of life.
class beating {
 public:
  explicit beating(node_ranks& rank)
      : thread_([&rank](const std::stop_token& stop) {
          for (; !stop.stop_requested(); std::this_thread::sleep_for(1ms)) rank.beat();
        }) {}

 private:
  std::jthread thread_;
};

TEST_F(node, has_one_seed_and_one_first_rank) {
  const auto ranks = join({rank(0, 3), rank(1, 3), rank(2, 3)});
  EXPECT_EQ(ranks[0]->seed(), ranks[1]->seed());
  EXPECT_EQ(ranks[0]->seed(), ranks[2]->seed());
  EXPECT_EQ(ranks[0]->present(), 3U);
  EXPECT_FALSE(ranks[0]->twin());
  EXPECT_TRUE(ranks[0]->is_first());
  EXPECT_FALSE(ranks[1]->is_first());
}

TEST_F(node, leaves_no_file_behind) {
  auto ranks = join({rank(0, 2), rank(1, 2)});
  EXPECT_NE(file(), "");
  ranks.clear();
  EXPECT_EQ(file(), "");
}

TEST_F(node, knows_ranks_with_the_same_device) {
  auto twin = rank(1, 2);
  twin.device = "GPU-0";
  const auto ranks = join({rank(0, 2), twin});
  EXPECT_EQ(ranks[0]->twin(), 1U);
  EXPECT_EQ(ranks[1]->twin(), 0U);
}

TEST_F(node, refuses_a_second_process_with_the_same_rank) {
  const auto ranks = join({rank(0, 2), rank(1, 2)});
  const beating alive(*ranks[0]);
  EXPECT_THAT([&] { const node_ranks second(rank(1, 2)); },
              testing::ThrowsMessage<rank_is_taken>(HasSubstr("local rank 1")));
}

TEST_F(node, gives_turns_in_the_order_of_ranks) {
  const auto ranks = join({rank(0, 2), rank(1, 2)});
  std::atomic<bool> first_has_ended = false;
  auto second = std::async(std::launch::async, [&] {
    ranks[1]->wait_for_turn();
    EXPECT_TRUE(first_has_ended);
    ranks[1]->end_turn();
  });
  ranks[0]->wait_for_turn();
  first_has_ended = true;
  ranks[0]->end_turn();
  ranks[0]->wait_for_all_turns();
  second.get();
}

TEST_F(node, goes_on_without_a_rank_that_never_starts) {
  node_ranks own(rank(0, 2, 1ms));
  EXPECT_EQ(own.present(), 1U);
  const beating alive(own);
  EXPECT_THROW(node_ranks(rank(1, 2)), left_behind);
}

TEST_F(node, does_not_wait_for_a_rank_that_has_ended) {
  auto ranks = join({rank(0, 2), rank(1, 2)});
  ranks[1].reset();
  ranks[0]->wait_for_turn();
  ranks[0]->end_turn();
  ranks[0]->wait_for_all_turns();
  meeting alone(*ranks[0], 0);
  alone.reach(meeting::step::arrived);
  EXPECT_TRUE(alone.have_all_reached(meeting::step::arrived));
}

/// The last rank in a process of its own, whose turn never comes.
pid_t start_last(const node_ranks::description& self) {
  const auto child = fork();
  if (child != 0) return child;
  try {
    node_ranks last(self);
    last.wait_for_turn();
  } catch (...) {
  }
  _exit(0);  // no destructor of the test's: it holds its place until the very end
}

void kill_and_wait(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(node, notices_a_rank_that_is_killed) {
  const auto child = start_last(rank(1, 2));
  node_ranks own(rank(0, 2));
  own.wait_for_turn();
  kill_and_wait(child);
  own.end_turn();
  own.wait_for_all_turns();
  EXPECT_EQ(own.present(), 1U);
}

TEST_F(node, tells_once_of_a_rank_that_is_killed) {
  std::mutex lock;
  std::vector<lost_rank> told;
  const auto telling = [&](std::size_t number) {
    auto self = rank(number, 3);
    self.tell = [&](const lost_rank& lost) {
      const std::scoped_lock locked(lock);
      told.push_back(lost);
    };
    return self;
  };
  auto last = rank(2, 3);
  last.world_rank = 17;
  const auto child = start_last(last);
  const auto ranks = join({telling(0), telling(1)});
  auto second = std::async(std::launch::async, [&] {
    ranks[1]->wait_for_turn();
    ranks[1]->end_turn();
    ranks[1]->wait_for_all_turns();
  });
  ranks[0]->wait_for_turn();
  kill_and_wait(child);
  ranks[0]->end_turn();
  ranks[0]->wait_for_all_turns();
  second.get();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].rank, 2U);
  EXPECT_EQ(told[0].world_rank, 17U);
  EXPECT_EQ(told[0].device, "GPU-2");
  EXPECT_TRUE(told[0].process_ended);
  EXPECT_GT(told[0].since.time_since_epoch(), 0s);
  EXPECT_EQ(ranks[0]->lost().size(), 1U);
  EXPECT_EQ(ranks[1]->lost().size(), 1U);
}

TEST_F(node, tells_of_a_rank_that_gives_no_sign_of_life) {
  std::promise<void> joined;
  auto silent = rank(1, 2);
  silent.interrupted = [&, is_first = true]() mutable {
    if (std::exchange(is_first, false)) joined.set_value();
    return false;
  };
  auto joining =
      std::async(std::launch::async, [&] { return std::make_unique<node_ranks>(silent); });
  joined.get_future().wait();
  std::vector<lost_rank> told;
  auto self = rank(0, 2, 1ms);
  self.tell = [&](const lost_rank& lost) { told.push_back(lost); };
  node_ranks own(self);
  EXPECT_EQ(own.present(), 2U);
  EXPECT_EQ(own.longest_silence(), 0ns);
  const auto other = joining.get();
  own.wait_for_turn();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].rank, 1U);
  EXPECT_FALSE(told[0].process_ended);
  EXPECT_GT(told[0].silence, 1ms);
  EXPECT_EQ(own.longest_silence(), told[0].silence);
}

TEST_F(node, tells_nothing_of_a_rank_that_never_starts) {
  auto self = rank(1, 2, 1ms);
  self.tell = [](const lost_rank&) { FAIL() << "present() tells"; };
  node_ranks own(self);
  own.wait_for_turn();
  EXPECT_THAT(own.lost(), IsEmpty());
  EXPECT_GT(own.longest_silence(), 1ms);
  EXPECT_TRUE(own.is_first());
}

TEST_F(node, knows_who_has_put_files_aside) {
  std::vector described{rank(0, 3), rank(1, 3), rank(2, 3)};
  for (auto& self : described) self.world_rank = self.rank + 10;
  described[0].put_aside = 1;
  described[2].put_aside = 2;
  EXPECT_THAT(join(described)[1]->with_files_put_aside(), testing::ElementsAre(10U, 12U, 12U));
}

TEST_F(node, is_not_misled_by_what_a_dead_run_has_left) {
  auto ranks = join({rank(0, 2), rank(1, 2)});
  const auto left = file();
  ranks.clear();
  std::ofstream(left) << std::string(100'000, '\xff');
  ranks = join({rank(0, 2), rank(1, 2)});
  EXPECT_EQ(ranks[0]->present(), 2U);
}

TEST_F(node, starts_anew_where_a_stopped_process_is_left_of_an_earlier_run) {
  auto earlier = join({rank(0, 2), rank(1, 2)});
  earlier[0].reset();  // and nothing is heard of the other
  const node_ranks own(rank(0, 2, 1ms));
  EXPECT_EQ(own.present(), 1U);
  EXPECT_THROW(earlier[1]->wait_for_turn(), left_behind);
}

TEST_F(node, starts_anew_where_a_stopped_process_has_its_place) {
  auto earlier = join({rank(0, 2), rank(1, 2)});
  earlier[0].reset();
  const node_ranks own(rank(1, 2, 1ms));
  EXPECT_EQ(own.present(), 1U);
}

TEST_F(node, is_together_while_processes_of_an_earlier_run_end) {
  const auto earlier = join({rank(0, 2), rank(1, 2)});
  for (const auto& finished : earlier) finished->leave();
  const auto ranks = join({rank(0, 2), rank(1, 2)});
  EXPECT_EQ(ranks[0]->present(), 2U);
}

TEST_F(node, removes_the_files_of_other_dead_runs) {
  const auto ranks = join({rank(0, 2), rank(1, 2)});
  const auto alive = file();
  auto other = alive;
  other += "0";
  std::ofstream(other) << "left";
  auto another_job = rank(0, 1);
  another_job.job = "another";
  { const node_ranks single(another_job); }
  EXPECT_FALSE(std::filesystem::exists(other));
  EXPECT_TRUE(std::filesystem::exists(alive));
}

TEST_F(node, does_not_follow_links) {
  std::filesystem::path name;
  {
    const node_ranks single(rank(0, 1));
    name = file();
  }
  std::filesystem::create_symlink("/dev/null", name);
  EXPECT_THROW(node_ranks(rank(0, 1)), cannot_share);
}

TEST_F(node, stops_waiting_when_interrupted) {
  auto interrupted = rank(0, 2);
  interrupted.interrupted = [] { return true; };
  node_ranks own(interrupted);
  own.wait_for_turn();
  EXPECT_EQ(own.present(), 2U) << "nobody was given up";
}

TEST_F(node, meets_step_by_step) {
  const auto ranks = join({rank(0, 2), rank(1, 2)});
  meeting first(*ranks[0], 7), second(*ranks[1], 7);
  using enum meeting::step;
  for (const auto step : {arrived, busy, finished}) {
    first.reach(step);
    for (auto* one : {&first, &second}) EXPECT_FALSE(one->have_all_reached(step));
    second.reach(step);
    for (auto* one : {&first, &second}) EXPECT_TRUE(one->have_all_reached(step));
  }
}

TEST_F(node, exchanges_times) {
  const auto ranks = join({rank(0, 2), rank(1, 2)});
  const shared_clock::time_point zero;
  const auto meet = [&](std::size_t rank, std::uint64_t number) {
    return meeting(*ranks[rank], number)
        .exchange(busy_time{zero + 1ns, zero + 2ns, std::chrono::nanoseconds(rank)});
  };
  auto other = std::async(std::launch::async, [&] { return meet(1, 0); });
  const auto times = meet(0, 0);
  EXPECT_EQ(other.get().size(), 2U);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].course, 0ns);
  EXPECT_EQ(times[1].course, 1ns);
  EXPECT_EQ(times[1].begin, zero + 1ns);
  EXPECT_EQ(times[1].end, zero + 2ns);
}

TEST_F(node, does_not_wait_for_a_rank_that_is_at_a_later_meeting) {
  const auto ranks = join({rank(0, 2), rank(1, 2)});
  meeting(*ranks[1], 3).reach(meeting::step::arrived);
  meeting earlier(*ranks[0], 2);
  earlier.reach(meeting::step::arrived);
  EXPECT_TRUE(earlier.have_all_reached(meeting::step::arrived));
  const auto times = earlier.exchange(busy_time{{}, {}, {}});
  EXPECT_EQ(times.size(), 1U) << "its own alone";
}

TEST_F(node, tells_nothing_where_it_was_not_busy) {
  const auto ranks = join({rank(0, 2), rank(1, 2)});
  ranks[1]->leave();
  EXPECT_THAT(meeting(*ranks[0], 0).exchange(std::nullopt), IsEmpty());
}

}  // namespace
}  // namespace bench_transfers::fleet::node_ranks_test
