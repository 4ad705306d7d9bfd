#include "src/fleet/mpi/gathering.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

namespace bench_transfers::fleet::gathering_test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// Messages between threads.
struct post {
  explicit post(std::size_t ranks) : waiting(ranks) {}
  std::mutex lock;
  std::vector<std::deque<message>> waiting;  ///< by rank
};

class end_of_post : public channel {
 public:
  end_of_post(post& messages, std::size_t rank) : messages_(messages), rank_(rank) {}
  [[nodiscard]] std::size_t rank() const noexcept override { return rank_; }
  [[nodiscard]] std::size_t size() const noexcept override { return messages_.waiting.size(); }
  void send(std::size_t rank, const std::string& bytes) override {
    const std::scoped_lock locked(messages_.lock);
    messages_.waiting[rank].push_back({rank_, bytes});
  }
  [[nodiscard]] bool has_sent() override { return true; }
  [[nodiscard]] std::optional<message> receive() override {
    const std::scoped_lock locked(messages_.lock);
    auto& own = messages_.waiting[rank_];
    if (own.empty()) return std::nullopt;
    auto first = own.front();
    own.pop_front();
    return first;
  }

 private:
  post& messages_;
  std::size_t rank_;
};

struct outcome {
  std::map<std::size_t, std::string> results;
  bool have_all_ended = false;
};

outcome run(post& messages, std::size_t rank, const gathering::description& self,
            bool is_whole = true) {
  end_of_post own(messages, rank);
  gathering ranks(own, self);
  ranks.begin();
  auto results = ranks.gather("of " + std::to_string(rank), is_whole);
  const bool have_all_ended = ranks.end();
  return {std::move(results), have_all_ended};
}

std::future<outcome> started(post& messages, std::size_t rank, const gathering::description& self) {
  return std::async(std::launch::async, [=, &messages] { return run(messages, rank, self); });
}

TEST(gathering, brings_the_results_of_all_to_rank_0) {
  post messages(3);
  auto second = started(messages, 1, {.wait = 100s});
  auto third = started(messages, 2, {.wait = 100s, .ranks_of_node = 2});
  const auto first = run(messages, 0, {.wait = 100s});
  EXPECT_THAT(first.results, ElementsAre(Pair(0, "of 0"), Pair(1, "of 1"), Pair(2, "of 2")));
  EXPECT_TRUE(first.have_all_ended);
  EXPECT_TRUE(second.get().have_all_ended);
  const auto others = third.get();
  EXPECT_TRUE(others.have_all_ended);
  EXPECT_THAT(others.results, IsEmpty());
}

TEST(gathering, of_one_rank_is_complete) {
  post messages(1);
  EXPECT_TRUE(run(messages, 0, {.wait = 100s}).have_all_ended);
}

TEST(gathering, goes_on_without_a_rank_that_hangs) {
  post messages(2);
  const auto first = run(messages, 0, {.wait = 1ms});
  EXPECT_THAT(first.results, ElementsAre(Pair(0, "of 0")));
  EXPECT_FALSE(first.have_all_ended);
  EXPECT_FALSE(run(messages, 1, {.wait = 100s}).have_all_ended) << "it was told when it came";
}

TEST(gathering, does_not_wait_for_ever_for_rank_0) {
  post messages(2);
  EXPECT_FALSE(run(messages, 1, {.wait = 1ms}).have_all_ended);
}

TEST(gathering, of_a_rank_that_fails_at_once_waits_for_those_that_do_not) {
  post messages(3);
  end_of_post second(messages, 1), third(messages, 2);
  second.send(0, "h1");
  third.send(0, "h1");
  auto first =
      std::async(std::launch::async, [&] { return run(messages, 0, {.wait = 1ms}, false); });
  EXPECT_EQ(first.wait_for(50ms), std::future_status::timeout);
  second.send(0, "r1\nof 1");  // it tells how long it takes: third is too late
  EXPECT_THAT(first.get().results, ElementsAre(Pair(0, "of 0"), Pair(1, "of 1")));
}

TEST(gathering, ends_when_interrupted) {
  for (const std::size_t rank : {0U, 1U}) {
    post messages(2);
    const auto alone =
        run(messages, rank,
            {.wait = 1000s, .interrupted = [] { return true; }, .wait_when_interrupted = 1ms});
    EXPECT_FALSE(alone.have_all_ended);
  }
}

TEST(gathering, keeps_the_result_of_a_rank_that_was_interrupted_at_the_start) {
  post messages(2);
  end_of_post early(messages, 1);
  early.send(0, "h1");
  early.send(0, "r0\n{}");
  EXPECT_THAT(run(messages, 0, {.wait = 100s}).results,
              ElementsAre(Pair(0, "of 0"), Pair(1, "{}")));
}

}  // namespace
}  // namespace bench_transfers::fleet::gathering_test
