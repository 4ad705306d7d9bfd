// Arrays that are copied between contexts, also of two devices, and the order that this guarantees.
#include <future>
#include <latch>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/array/arithmetic.hpp"
#include "transfers/array/create.hpp"
#include "transfers/launch/launch.hpp"

namespace transfers::several_contexts_test {
namespace {

constexpr int rounds = 50;

/// Whether both contexts use the same device.
class two_contexts : public testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<device> device_of_first = open_host_device();
  std::unique_ptr<device> other_device = open_host_device();
  context first{*device_of_first};
  context second{GetParam() ? *device_of_first : *other_device};
  /// Neither waits for the others nor lets them wait.
  context bystander{*device_of_first};

  /// Gives work that is not ordered the time to run.
  void let_others_run() {
    for (int i = 0; i < 20; ++i) {
      bystander.stream().call([] {});
      bystander.synchronize();
    }
  }
};

TEST_P(two_contexts, copy_arrays_to_each_other) {
  const auto src = to_gpu(first, {1, 2, 3, 4}).reshape({2, 2});
  const auto copy = src.copy(second);
  EXPECT_EQ(copy.context(), second);
  EXPECT_EQ(copy.shape(), shape({2, 2}));
  EXPECT_NE(copy.data(), src.data());
  EXPECT_THAT((copy + 1).get(), ElementsAre(2, 3, 4, 5));
  auto back = zeros<int>(first, {2, 2});
  back.set(copy);
  EXPECT_THAT((back + src).get(), ElementsAre(2, 4, 6, 8));
  const auto own = src.copy();
  EXPECT_EQ(own.context(), first);
  EXPECT_NE(own.data(), src.data());
  back.set(back);
  EXPECT_THAT(back.get(), ElementsAre(1, 2, 3, 4));
  const auto columns = to_gpu(first, std::vector{1, 2}, {1, 2}, order::column_major).copy(second);
  EXPECT_EQ(columns.order(), order::column_major);
  EXPECT_THROW(back.set(columns), shape_mismatch);
  EXPECT_EQ(zeros<int>(first, {0}).copy(second).size(), 0U);
}

TEST_P(two_contexts, copy_what_the_source_holds_when_its_earlier_work_is_done) {
  const std::vector<int> news(1000, 7);
  auto src = zeros<int>(first, {1000});
  auto dst = zeros<int>(second, {1000});
  for (int round = 0; round < rounds; ++round) {
    src.clear();
    dst.clear();
    first.synchronize();
    second.synchronize();
    std::latch go_on(1);
    first.stream().call([&] { go_on.wait(); });
    src.set_async(news);
    dst.set(src);  // waits in the stream, not here
    const auto copied = second.stream().record(event_timing::off);
    let_others_run();
    EXPECT_FALSE(copied->done());
    go_on.count_down();
    ASSERT_THAT(dst.get(), Each(7)) << "in round " << round;
  }
}

TEST_P(two_contexts, leave_the_source_as_it_is_until_it_has_been_copied) {
  const std::vector<int> numbers(1000, 7);
  auto src = zeros<int>(first, {1000});
  auto dst = zeros<int>(second, {1000});
  for (int round = 0; round < rounds; ++round) {
    src.set(numbers);
    dst.clear();
    second.synchronize();
    std::latch go_on(1);
    second.stream().call([&] { go_on.wait(); });
    dst.set(src);
    src.clear();
    const auto cleared = first.stream().record(event_timing::off);
    let_others_run();
    EXPECT_FALSE(cleared->done());
    go_on.count_down();
    ASSERT_THAT(dst.get(), Each(7)) << "in round " << round;
    ASSERT_THAT(src.get(), Each(0)) << "in round " << round;
  }
}

TEST_P(two_contexts, keep_a_source_that_ends_before_it_has_been_copied) {
  for (int round = 0; round < rounds; ++round) {
    auto dst = zeros<int>(second, {1000});
    std::latch go_on(1);
    second.stream().call([&] { go_on.wait(); });
    {
      const auto src = to_gpu(first, std::vector<int>(1000, 7));
      dst.set(src);
    }
    // It may get the memory of the source.
    auto next = empty<int>(first, {1000});
    next.clear();
    let_others_run();
    go_on.count_down();
    ASSERT_THAT(dst.get(), Each(7)) << "in round " << round;
  }
}

TEST_P(two_contexts, wait_for_each_other_by_request) {
  std::vector<int> list;  // without a lock
  for (int turn = 0; turn < 100; ++turn) {
    first.stream().call([&list, turn] { list.push_back(2 * turn); });
    second.wait_for(first);
    second.stream().call([&list, turn] { list.push_back(2 * turn + 1); });
    first.wait_for(second);
  }
  first.synchronize();
  std::vector<int> expected(200);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(list, expected);
}

TEST_P(two_contexts, wait_for_work_that_is_enqueued_and_no_other) {
  std::latch go_on(1);
  second.wait_for(first);
  first.stream().call([&] { go_on.wait(); });
  second.stream().call([] {});
  second.synchronize();  // the work came after the wait
  second.wait_for(first);
  const auto reached = second.stream().record(event_timing::off);
  EXPECT_FALSE(reached->done());
  go_on.count_down();
  second.synchronize();
  EXPECT_TRUE(reached->done());
}

INSTANTIATE_TEST_SUITE_P(all, two_contexts, testing::Bool(), [](const auto& tested) {
  return std::string(tested.param ? "of_one_device" : "of_two_devices");
});

TEST_P(two_contexts, order_launches_and_copies_of_arrays_of_each_other) {
  const auto make_five = host_function("make_five", [](const thread_index& at, float* values) {
    values[at.x()] = values[at.x()] == 1 ? 5.0F : -1.0F;
  });
  if (!GetParam()) first.device().access_peer(second.device());
  std::latch go_on(1);
  second.stream().call([&] { go_on.wait(); });
  auto array = full<float>(second, {3}, 1);  // not before go_on
  auto launched = std::async(std::launch::async, [&] { make_five(first, {.block = {3}}, array); });
  go_on.count_down();
  launched.get();
  std::vector<float> copied(3);
  (GetParam() ? first : second).copy(copied, array);
  EXPECT_THAT(copied, Each(5.0F));
}

TEST(a_context_by_itself, does_not_wait_for_itself) {
  counting_device host;
  const context gpu(host);
  const auto before = host.counts().enqueued.load();
  gpu.wait_for(gpu);
  gpu.wait_for(context(gpu));
  EXPECT_EQ(host.counts().enqueued, before);
}

}  // namespace
}  // namespace transfers::several_contexts_test
