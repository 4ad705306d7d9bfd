#include "transfers/launch/arguments.hpp"

#include <array>
#include <chrono>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/allocation_name.hpp"
#include "tests/unit/transfers/counting_device.hpp"

namespace transfers::arguments_test {
namespace {

class a_call : public testing::TestWithParam<allocation> {
 protected:
  counting_device host;
  context gpu{host, GetParam()};
};

/// Enqueues dst[i] = src[i] + 1.
auto plus_one(const context& gpu, std::size_t count) {
  return [&gpu, count](const int* src, int* dst) {
    gpu.stream().call([=] {
      for (std::size_t i = 0; i < count; ++i) dst[i] = src[i] + 1;
    });
  };
}

TEST_P(a_call, brings_ranges_to_the_device_and_back) {
  const std::vector<int> src{1, 2, 3};
  std::array<int, 3> dst{};
  call(gpu, plus_one(gpu, 3), in(src), out(dst));
  EXPECT_THAT(dst, ElementsAre(2, 3, 4));
  call(gpu, plus_one(gpu, 2), in(std::span(src).first(2)), out(std::span(dst).last(2)));
  EXPECT_THAT(dst, ElementsAre(2, 2, 3));
}

TEST_P(a_call, changes_ranges_that_go_in_and_out) {
  std::vector<int> data{1, 2, 3};
  call(
      gpu, [&](int* on_device) { plus_one(gpu, 3)(on_device, on_device); }, in_out(data));
  EXPECT_THAT(data, ElementsAre(2, 3, 4));
}

TEST_P(a_call, passes_device_addresses_and_other_arguments_unchanged) {
  const std::vector<int> src{1, 2};
  std::vector<int> dst(2);
  const auto array = to_gpu(gpu, src);
  const device_buffer<float> buffer(gpu, 2);
  const std::string text = "some text that is no kernel argument";
  bool called = false;
  call(
      gpu,
      [&](auto&& first, auto&& second, auto&& third, auto&& fourth, auto&& fifth, auto&& sixth) {
        called = true;
        static_assert(std::is_same_v<std::decay_t<decltype(first)>, const int*>);
        static_assert(std::is_same_v<std::decay_t<decltype(second)>, int*>);
        static_assert(std::is_same_v<std::decay_t<decltype(third)>, const int*>);
        static_assert(std::is_same_v<std::decay_t<decltype(fourth)>, const float*>);
        static_assert(std::is_same_v<std::decay_t<decltype(fifth)>, double>);
        EXPECT_NE(first, src.data());
        EXPECT_NE(second, dst.data());
        EXPECT_NE(first, second);
        EXPECT_EQ(third, array.data());
        EXPECT_EQ(fourth, buffer.data());
        EXPECT_EQ(fifth, 2.5);
        EXPECT_EQ(&sixth, &text);
      },
      in(src), out(dst), array, buffer, 2.5, text);
  EXPECT_TRUE(called);
}

TEST_P(a_call, without_arguments_waits_as_well) {
  bool finished = false;
  call(gpu, [&] {
    gpu.stream().call([&] {
      std::this_thread::sleep_for(5ms);
      finished = true;
    });
  });
  EXPECT_TRUE(finished);
}

TEST_P(a_call, with_empty_ranges_passes_null) {
  std::vector<int> none;
  bool called = false;
  call(
      gpu,
      [&](const int* first, int* second, int* third) {
        called = true;
        EXPECT_EQ(first, nullptr);
        EXPECT_EQ(second, nullptr);
        EXPECT_EQ(third, nullptr);
      },
      in(none), out(none), in_out(none));
  EXPECT_TRUE(called);
  EXPECT_EQ(host.counts().device_allocations, 0U);
}

TEST_P(a_call, has_its_results_when_it_returns) {
  host.counts().slowed_by = 2ms;
  const std::vector<int> src{1, 2, 3};
  std::vector<int> dst(3);
  call(gpu, plus_one(gpu, 3), in(src), out(dst));
  EXPECT_THAT(dst, ElementsAre(2, 3, 4));
  EXPECT_TRUE(host.counts().idle());
}

TEST_P(a_call, uploads_only_what_goes_in_and_downloads_only_what_comes_out) {
  std::vector<int> first(3, 1);
  std::vector<int> second(3, 2);
  std::vector<int> third(3, 3);
  const auto before = host.counts().enqueued.load();
  call(
      gpu, [](const int*, int*, int*) {}, in(first), out(second), in_out(third));
  EXPECT_EQ(host.counts().enqueued, before + 4);
  EXPECT_THAT(first, Each(1));
  EXPECT_THAT(third, Each(3));
}

TEST_P(a_call, frees_its_memory_when_the_work_is_done) {
  host.counts().slowed_by = 1ms;
  std::vector<int> data(1000);
  call(
      gpu, [&](int* on_device) { plus_one(gpu, 1000)(on_device, on_device); }, in_out(data));
  EXPECT_EQ(host.counts().freed_while_busy, 0U);
  gpu = context(host, allocation::plain);  // the last one with the pool ends
  EXPECT_TRUE(host.counts().nothing_allocated());
}

TEST_P(a_call, may_return_whatever_its_launch_returns) {
  std::vector<int> data(3);
  int calls = 0;
  call(
      gpu, [&](int*) { return ++calls; }, out(data));
  EXPECT_EQ(calls, 1);
}

TEST_P(a_call, takes_a_launch_that_can_be_called_once_and_is_no_copy) {
  struct launch {
    explicit launch(int& to_count) : calls(to_count) {}
    launch(const launch&) = delete;
    launch& operator=(const launch&) = delete;
    void operator()(const int*) && { ++calls; }
    int& calls;
  };
  int calls = 0;
  const std::array numbers{1, 2};
  call(gpu, launch(calls), in(numbers));
  EXPECT_EQ(calls, 1);
}

struct refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

TEST_P(a_call, that_throws_has_waited_and_brings_nothing_back) {
  host.counts().slowed_by = 3ms;
  std::vector<int> input(1000, 1);
  std::vector<int> output(1000, 7);
  std::vector<int> changed(1000, 8);
  bool worked = false;
  EXPECT_THAT(([&] {
                call(
                    gpu,
                    [&](const int*, int* second, int* third) {
                      gpu.stream().call([=, &worked] {
                        std::this_thread::sleep_for(10ms);
                        second[0] = third[0] = 99;
                        worked = true;
                      });
                      throw refused("not today");
                    },
                    in(input), out(output), in_out(changed));
              }),
              ThrowsMessage<refused>("not today"));
  EXPECT_TRUE(worked);
  EXPECT_TRUE(host.counts().idle());
  EXPECT_EQ(host.counts().freed_while_busy, 0U);
  EXPECT_THAT(output, Each(7));
  EXPECT_THAT(changed, Each(8));
  gpu = context(host, allocation::plain);  // the last one with the pool ends
  EXPECT_TRUE(host.counts().nothing_allocated());
}

TEST_P(a_call, throws_what_its_work_throws_and_the_next_one_does_not) {
  std::vector<int> data{1, 2, 3};
  EXPECT_THAT(([&] {
                call(
                    gpu, [&](int*) { gpu.stream().call([] { throw refused("in the stream"); }); },
                    in_out(data));
              }),
              ThrowsMessage<refused>("in the stream"));
  EXPECT_TRUE(host.counts().idle());
  call(
      gpu, [&](int* on_device) { plus_one(gpu, 3)(on_device, on_device); }, in_out(data));
  EXPECT_THAT(data, ElementsAre(2, 3, 4));
}

TEST_P(a_call, with_memory_running_out_launches_nothing_and_leaves_nothing) {
  const auto failures = fail_each(failure::allocation, [&](counting_device& failing) {
    std::vector<int> first(10, 1);
    std::vector<int> second(10, 2);
    std::vector<double> third(100'000, 3);
    bool launched = false;
    bool thrown = false;
    {
      const context failing_gpu(failing, GetParam());
      try {
        call(
            failing_gpu, [&](const int*, int*, double*) { launched = true; }, in(first),
            out(second), in_out(third));
      } catch (const out_of_memory& caught) {
        thrown = true;
        EXPECT_THAT(caught.what(), HasSubstr("on purpose"));
        EXPECT_TRUE(failing.counts().idle());
        EXPECT_THAT(second, Each(2));
        EXPECT_THAT(third, Each(3));
      }
      EXPECT_NE(launched, thrown);
    }
    EXPECT_TRUE(failing.counts().nothing_allocated());
    // A pool without blocks in use releases its memory and tries again.
    return !thrown && failing.counts().failing_allocation != 1;
  });
  EXPECT_EQ(failures, GetParam() == allocation::plain ? 3U : 2U);
}

TEST_P(a_call, with_any_operation_failing_leaves_nothing_and_an_idle_stream) {
  const auto failures = fail_each(failure::operation, [&](counting_device& failing) {
    failing.counts().slowed_by = 300us;
    std::vector<int> input(10, 1);
    std::vector<int> output(10, 7);
    std::vector<int> changed(10, 5);
    bool thrown = false;
    {
      const context failing_gpu(failing, GetParam());
      bool launched = false;
      try {
        call(
            failing_gpu,
            [&](const int* first, int* second, int* third) {
              plus_one(failing_gpu, 10)(first, second);
              plus_one(failing_gpu, 10)(first, third);
              launched = true;
            },
            in(input), out(output), in_out(changed));
        EXPECT_THAT(output, Each(2));
        EXPECT_THAT(changed, Each(2));
      } catch (const device_error& caught) {
        thrown = true;
        EXPECT_THAT(caught.what(), HasSubstr("on purpose"));
        EXPECT_TRUE(failing.counts().idle());
        if (!launched) {
          EXPECT_THAT(output, Each(7));
          EXPECT_THAT(changed, Each(5));
        }
      }
      EXPECT_EQ(failing.counts().freed_while_busy, 0U);
    }
    EXPECT_TRUE(failing.counts().nothing_allocated());
    return !thrown;
  });
  EXPECT_EQ(failures, 2U + 2U + 2U + 1U);  // uploads, work, downloads, wait
}

TEST_P(a_call, may_be_made_from_several_threads) {
  std::vector<std::jthread> threads;
  for (int id = 0; id < 4; ++id)
    threads.emplace_back([&, id] {
      for (int i = 0; i < 100; ++i) {
        std::vector<int> data(50, id);
        call(
            gpu, [&](int* on_device) { plus_one(gpu, 50)(on_device, on_device); }, in_out(data));
        EXPECT_THAT(data, Each(id + 1));
      }
    });
}

INSTANTIATE_TEST_SUITE_P(all, a_call, testing::Values(allocation::plain, allocation::pooled),
                         allocation_name);

}  // namespace
}  // namespace transfers::arguments_test
