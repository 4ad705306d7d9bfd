#include "src/fleet/mpi/gathering.hpp"

#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/basics.hpp"

namespace bench_transfers::fleet::gathering_test {
namespace {

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
  auto results = ranks.gather({.bytes = "of " + std::to_string(rank), .is_whole = is_whole});
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

/// One rank of a job whose other ranks are made up. Time passes only while it sleeps.
class rank_of_made_up_job : public channel {
 public:
  using clock = gathering::clock;

  rank_of_made_up_job(std::size_t rank, std::size_t ranks) : rank_(rank), ranks_(ranks) {}

  /// A message that comes at a time after the start.
  void comes(std::chrono::seconds time, std::size_t rank, const std::string& bytes) {
    coming_.emplace(time, message{rank, bytes});
  }

  [[nodiscard]] gathering::description waiting(std::chrono::seconds wait) {
    return {.wait = wait,
            .now = [this] { return clock::time_point(passed_); },
            .sleep = [this](clock::duration time) { passed_ += time; }};
  }

  /// It measures, or waits for others.
  void spend(std::chrono::seconds time) { passed_ += time; }
  /// It begins, does so, and gathers; `sent` is then of that.
  auto gather(gathering& ranks, std::chrono::seconds time,
              const contribution& own = {.is_whole = true}) {
    ranks.begin();
    sent.clear();
    spend(time);
    return ranks.gather(own);
  }
  [[nodiscard]] std::chrono::seconds passed() const {
    return std::chrono::round<std::chrono::seconds>(passed_);
  }
  void never_sends() { sends_ = false; }

  [[nodiscard]] std::size_t rank() const noexcept override { return rank_; }
  [[nodiscard]] std::size_t size() const noexcept override { return ranks_; }
  void send(std::size_t rank, const std::string& bytes) override { sent.push_back({rank, bytes}); }
  [[nodiscard]] bool has_sent() override { return sends_; }
  [[nodiscard]] std::optional<message> receive() override {
    if (coming_.empty() || coming_.begin()->first > passed_) return std::nullopt;
    auto first = coming_.begin()->second;
    coming_.erase(coming_.begin());
    return first;
  }

  std::vector<message> sent;

 private:
  std::size_t rank_, ranks_;
  clock::duration passed_{};
  std::multimap<clock::duration, message> coming_;
  bool sends_ = true;
};

TEST(gathering, waits_once_for_a_rank_that_hangs) {
  rank_of_made_up_job own(0, 3);
  own.comes(0s, 1, "h1");
  own.comes(0s, 2, "h1");
  own.comes(10s, 1, "r10000\n{}");
  own.never_sends();
  gathering ranks(own, own.waiting(60s));
  EXPECT_EQ(own.gather(ranks, 10s).size(), 2U);
  EXPECT_EQ(own.passed(), 2 * 10s + 60s);
  EXPECT_FALSE(ranks.end());
  EXPECT_EQ(own.passed(), 2 * 10s + 60s + 3s) << "a message to the rank that hangs";
}

TEST(gathering, does_not_wait_again_for_a_rank_that_its_node_has_waited_for) {
  rank_of_made_up_job own(0, 3);
  own.comes(0s, 1, "h3");
  own.comes(0s, 2, "h3");
  own.comes(70s, 1, "r10000 2\n{}");
  gathering ranks(own, own.waiting(60s));
  EXPECT_EQ(own.gather(ranks, 70s, {.is_whole = true, .lost = {2}, .waited = 60s}).size(), 2U);
  EXPECT_FALSE(ranks.end());
  EXPECT_EQ(own.passed(), 10s + 60s);
}

TEST(gathering, of_a_rank_that_has_waited_tells_what_it_has_measured) {
  rank_of_made_up_job own(1, 3);
  own.comes(0s, 0, "g6");
  auto self = own.waiting(60s);
  self.ranks_of_node = 3;
  gathering ranks(own, self);
  own.gather(ranks, 70s, {.bytes = "{}", .is_whole = true, .lost = {2, 5}, .waited = 60s});
  EXPECT_EQ(own.sent.back().bytes, "r20000 2 5\n{}") << "for the node with the most ranks";
}

TEST(gathering, does_not_wait_for_a_rank_that_never_began) {
  rank_of_made_up_job own(0, 2);
  gathering ranks(own, own.waiting(60s));
  ranks.begin();
  EXPECT_EQ(own.passed(), 60s);
  own.spend(10s);
  ranks.gather({.is_whole = true});
  EXPECT_FALSE(ranks.end());
  EXPECT_EQ(own.passed(), 60s + 10s);
}

TEST(gathering, keeps_a_rank_that_needs_almost_twice_the_time) {
  rank_of_made_up_job own(0, 2);
  own.comes(0s, 1, "h1");
  own.comes(190s, 1, "r190000\n{}");
  gathering ranks(own, own.waiting(1s));
  EXPECT_EQ(own.gather(ranks, 100s).size(), 2U);
  EXPECT_TRUE(ranks.end());
}

TEST(gathering, gives_up_rank_0_after_twice_the_wait) {
  rank_of_made_up_job own(1, 2);
  own.comes(0s, 0, "g1");
  gathering ranks(own, own.waiting(60s));
  own.gather(ranks, 10s);
  EXPECT_FALSE(ranks.end());
  EXPECT_EQ(own.passed(), 2 * 10s + 2 * 60s);
  ASSERT_TRUE(ranks.silence_of_rank_0());
  EXPECT_EQ(std::chrono::round<std::chrono::seconds>(*ranks.silence_of_rank_0()), 10s + 2 * 60s);
}

TEST(gathering, waits_for_rank_0_as_long_as_that_waits_for_others) {
  rank_of_made_up_job own(1, 3);
  own.comes(0s, 0, "g1");
  own.comes(12s, 0, "p300000");
  own.comes(311s, 0, "l");
  gathering ranks(own, own.waiting(60s));
  own.gather(ranks, 10s);
  EXPECT_FALSE(ranks.end());
  EXPECT_EQ(own.passed(), 311s);
  EXPECT_FALSE(ranks.silence_of_rank_0()) << "it has answered, that another rank is lost";
}

TEST(gathering, waits_for_rank_0_while_that_works) {
  for (const bool is_interrupted : {false, true}) {
    rank_of_made_up_job own(1, 2);
    own.comes(0s, 0, "g1");
    for (auto time = 11s; time < 400s; time += 2s) own.comes(time, 0, "w");
    own.comes(401s, 0, "l");
    auto self = own.waiting(5s);
    self.interrupted = [&] { return is_interrupted && own.passed() >= 10s; };
    gathering ranks(own, self);
    own.gather(ranks, 10s);
    EXPECT_FALSE(ranks.end());
    EXPECT_EQ(own.passed(), 401s);
    EXPECT_FALSE(ranks.silence_of_rank_0());
  }
}

TEST(gathering, does_not_wait_for_rank_0_that_works_no_more) {
  rank_of_made_up_job own(1, 2);
  own.comes(0s, 0, "g1");
  for (auto time = 11s; time <= 100s; ++time) own.comes(time, 0, "w");
  auto self = own.waiting(60s);
  self.interrupted = [&] { return own.passed() >= 10s; };
  gathering ranks(own, self);
  own.gather(ranks, 10s);
  EXPECT_FALSE(ranks.end());
  EXPECT_EQ(own.passed(), 100s + 2 * 3s);
  EXPECT_TRUE(ranks.silence_of_rank_0());
}

TEST(gathering, tells_those_that_have_answered_that_it_works) {
  rank_of_made_up_job own(0, 3);
  for (const std::size_t rank : {1, 2}) own.comes(0s, rank, "h1");
  own.comes(11s, 1, "r10000\n{}");
  auto self = own.waiting(60s);
  self.most_work = 10s;
  std::promise<void> long_ago;
  bool is_over = false;
  self.sleep = [&, sleep = self.sleep](gathering::clock::duration time) {
    sleep(time);
    if (own.passed() > 200s && !is_over) long_ago.set_value(), is_over = true;
  };
  gathering ranks(own, self);
  own.gather(ranks, 10s);
  own.sent.clear();
  bool is_done = false;
  ranks.work([&] {
    long_ago.get_future().wait();
    is_done = true;
  });
  EXPECT_TRUE(is_done);
  ASSERT_FALSE(own.sent.empty());
  for (const auto& [rank, bytes] : own.sent)
    EXPECT_EQ(std::pair(rank, bytes), std::pair(std::size_t{1}, std::string("w")));
  EXPECT_EQ(own.sent.size(), 10U) << "each second, but not for ever";
}

TEST(gathering, throws_what_the_work_throws) {
  post messages(1);
  end_of_post own(messages, 0);
  gathering ranks(own, {.wait = 100s});
  EXPECT_THROW(ranks.work([] { throw std::runtime_error("full"); }), std::runtime_error);
}

TEST(gathering, tells_those_that_have_answered_how_long_it_waits) {
  rank_of_made_up_job own(0, 4);
  for (const std::size_t rank : {1, 2, 3}) own.comes(0s, rank, "h1");
  own.comes(11s, 1, "r10000\n{}");
  own.comes(20s, 2, "r20000\n{}");
  gathering ranks(own, own.waiting(60s));
  own.gather(ranks, 10s);
  std::vector<std::pair<std::size_t, std::string>> told;
  for (const auto& [rank, bytes] : own.sent) told.emplace_back(rank, bytes);
  EXPECT_THAT(told, ElementsAre(Pair(1, "p69000"), Pair(1, "p80000"), Pair(2, "p80000")));
}

}  // namespace
}  // namespace bench_transfers::fleet::gathering_test
