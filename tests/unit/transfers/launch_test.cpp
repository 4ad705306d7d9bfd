#include "transfers/launch/launch.hpp"

#include <array>
#include <cstring>
#include <latch>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/counting_device.hpp"

namespace transfers::launch_test {
namespace {

static_assert(std::is_copy_constructible_v<function>);  // a copy means the same kernel
static_assert(std::is_nothrow_destructible_v<function>);
static_assert(std::is_constructible_v<argument, int> && std::is_constructible_v<argument, float*>);
static_assert(std::is_constructible_v<argument, const gpu_array<float>&> &&
              std::is_constructible_v<argument, const device_buffer<float>&>);
static_assert(!std::is_constructible_v<argument, std::string>);

struct large {
  std::array<double, 5> values;
};
struct odd {
  char bytes[7];
};

class a_host_function : public testing::Test {
 protected:
  counting_device host;
  context gpu{host};
  transfers::stream& stream = gpu.stream();

  function scale =
      host_function("scale", [](const thread_index& at, float* data, float factor, int n) {
        if (at.x() < static_cast<std::size_t>(n)) data[at.x()] *= factor;
      });
};

TEST_F(a_host_function, runs_for_every_thread) {
  std::vector<float> data{1, 2, 3, 4, 5};
  scale(gpu, {.grid = {2}, .block = {3}}, in_out(data), 2.0F, 5);
  EXPECT_THAT(data, ElementsAre(2, 4, 6, 8, 10));
  EXPECT_EQ(scale.name(), "scale");
  const auto copy = scale;
  copy(gpu, {.grid = {2}, .block = {3}}, in_out(data), 0.5F, 4);
  EXPECT_THAT(data, ElementsAre(1, 2, 3, 4, 10));
}

TEST_F(a_host_function, knows_each_block_and_thread_once) {
  std::vector<int> calls(2 * 3 * 4 * 5 * 6 * 7);
  const auto count = host_function("count", [](const thread_index& at, int* counts) {
    EXPECT_EQ(at.threads.grid.x, 2U);
    EXPECT_EQ(at.threads.block.z, 7U);
    EXPECT_EQ(at.threads.shared_bytes, 11U);
    std::size_t index = at.block.z;
    index = index * 3 + at.block.y;
    index = index * 2 + at.block.x;
    index = index * 7 + at.thread.z;
    index = index * 6 + at.thread.y;
    index = index * 5 + at.thread.x;
    ++counts[index];
  });
  count(gpu, {{2, 3, 4}, {5, 6, 7}, 11}, in_out(calls));
  EXPECT_THAT(calls, Each(1));
}

TEST_F(a_host_function, counts_threads_along_x_over_all_blocks) {
  thread_index at;
  at.threads.block.x = 1024;
  at.block.x = 4'194'304;  // more than 32 bits in all
  at.thread.x = 5;
  EXPECT_EQ(at.x(), (std::size_t{1} << 32) + 5);
}

TEST_F(a_host_function, takes_arrays_buffers_and_values_of_any_size) {
  const auto fill =
      host_function("fill", [](const thread_index& at, double* array, char* buffer, large by_value,
                               odd seven, std::array<char, 3> three, bool yes) {
        const auto i = at.x();
        array[i] = by_value.values[i];
        buffer[i] = static_cast<char>(seven.bytes[i + 2] + three[0] + (yes ? 1 : 0));
      });
  auto array = zeros<double>(gpu, {5});
  device_buffer<char> buffer(gpu, 5);
  fill(gpu, {{5}, {1}}, array, buffer, large{{1, 2, 3, 4, 5}}, odd{{9, 9, 1, 2, 3, 4, 5}},
       std::array<char, 3>{10, 0, 0}, true);
  EXPECT_THAT(array.get(), ElementsAre(1, 2, 3, 4, 5));
  std::string back(5, ' ');
  buffer.copy_to(back);
  EXPECT_EQ(back, std::string({12, 13, 14, 15, 16}));
}

TEST_F(a_host_function, may_have_no_arguments) {
  int calls = 0;
  const auto count = host_function("count", [&calls](const thread_index&) { ++calls; });
  count(gpu, {{2}, {2}});
  EXPECT_EQ(calls, 4);
  count.launch(stream, {}, {});
  count.prepare<>()(stream, {});
  gpu.synchronize();
  EXPECT_EQ(calls, 6);
}

TEST_F(a_host_function, copies_its_arguments_when_it_is_launched) {
  auto array = zeros<double>(gpu, {5});
  const auto store =
      host_function("store", [](const thread_index& at, double* dst, large src, int offset) {
        dst[at.x()] = src.values[at.x()] + offset;
      });
  stream.call([] { std::this_thread::sleep_for(10ms); });
  {
    large values{{1, 2, 3, 4, 5}};
    int offset = 1;
    const std::array<argument, 3> arguments{array, values, offset};
    store.launch(stream, {{5}, {1}}, arguments);
    values = {};
    offset = 100;
  }
  EXPECT_THAT(array.get(), ElementsAre(2, 3, 4, 5, 6));
}

TEST_F(a_host_function, that_throws_does_so_once_when_the_stream_is_waited_for) {
  const auto fails = host_function(
      "fails", [](const thread_index&) { throw std::domain_error("no such number"); });
  EXPECT_NO_THROW(fails.launch(stream, {}, {}));
  EXPECT_THAT([&] { gpu.synchronize(); }, ThrowsMessage<std::domain_error>("no such number"));
  EXPECT_NO_THROW(gpu.synchronize());
  EXPECT_THROW(fails(gpu, {}), std::domain_error);
  EXPECT_NO_THROW(gpu.synchronize());
}

TEST_F(a_host_function, may_be_prepared) {
  const auto prepared = scale.prepare<float*, float, int>();
  auto array = to_gpu(gpu, std::vector<float>{1, 2, 3});
  prepared(stream, {{3}, {1}}, array.data(), 3.0F, 2);
  EXPECT_THAT(array.get(), ElementsAre(3, 6, 3));
  std::optional<function> gone =
      host_function("gone", [](const thread_index&, int* to) { *to = 5; });
  const auto kept = gone->prepare<int*>();
  gone.reset();
  int result = 0;
  kept(stream, {}, &result);
  gpu.synchronize();
  EXPECT_EQ(result, 5);
}

TEST_F(a_host_function, may_be_any_callable) {
  struct adds {
    int summand;
    void operator()(const thread_index&, int* to) const { *to += summand; }
  };
  int value = 1;
  host_function("object", adds{5}).launch(stream, {}, std::array<argument, 1>{&value});
  const adds lvalue{10};
  host_function("lvalue", lvalue).launch(stream, {}, std::array<argument, 1>{&value});
  host_function("mutable", [calls = 0](const thread_index&, int* to) mutable {
    *to += ++calls * 100;
  }).launch(stream, {{2}, {1}}, std::array<argument, 1>{&value});
  void (*pointer)(const thread_index&, int*) = [](const thread_index&, int* to) { *to += 1000; };
  host_function("pointer", pointer).launch(stream, {}, std::array<argument, 1>{&value});
  gpu.synchronize();
  EXPECT_EQ(value, 1316);
}

TEST(an_argument, is_a_copy_when_it_is_small_and_a_reference_when_it_is_large) {
  int small = 5;
  const argument value(small);
  small = 6;
  int copied = 0;
  std::memcpy(&copied, value.address(), sizeof copied);
  EXPECT_EQ(copied, 5);
  EXPECT_EQ(value.bytes(), sizeof(int));
  const std::array<char, 16> sixteen{};
  EXPECT_NE(argument(sixteen).address(), &sixteen);
  const std::array<char, 17> seventeen{};
  EXPECT_EQ(argument(seventeen).address(), &seventeen);
  EXPECT_EQ(argument(seventeen).bytes(), 17U);
  const auto copy = value;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_NE(copy.address(), value.address());
  EXPECT_EQ(std::memcmp(copy.address(), value.address(), sizeof(int)), 0);
}

class a_host_stream : public testing::Test {
 protected:
  std::unique_ptr<device> host = open_host_device();
  std::unique_ptr<transfers::stream> stream = host->create_stream();
};

TEST_F(a_host_stream, calls_functions_in_order) {
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) stream->call([&order, i] { order.push_back(i); });
  stream->synchronize();
  ASSERT_EQ(order.size(), 100U);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST_F(a_host_stream, calls_functions_in_another_thread) {
  std::thread::id where;
  stream->call([&] { where = std::this_thread::get_id(); });
  stream->synchronize();
  EXPECT_NE(where, std::this_thread::get_id());
}

TEST_F(a_host_stream, throws_what_a_function_threw_once_and_goes_on) {
  bool later = false;
  stream->call([] { throw std::domain_error("first"); });
  stream->call([] { throw std::domain_error("second"); });
  stream->call([&] { later = true; });
  EXPECT_THAT([&] { stream->synchronize(); }, ThrowsMessage<std::domain_error>("first"));
  EXPECT_TRUE(later);
  EXPECT_NO_THROW(stream->synchronize());
  stream->call([] { throw 5; });
  EXPECT_THROW(stream->synchronize(), int);
  EXPECT_NO_THROW(stream->synchronize());
}

TEST_F(a_host_stream, may_end_with_an_unseen_exception) {
  bool called = false;
  stream->call([&] {
    called = true;
    throw std::domain_error("unseen");
  });
  stream.reset();
  EXPECT_TRUE(called);
}

TEST_F(a_host_stream, destroys_functions_after_their_call) {
  std::weak_ptr<int> observer;
  {
    auto held = std::make_shared<int>(5);
    observer = held;
    stream->call([held = std::move(held)] { ++*held; });
  }
  stream->synchronize();
  EXPECT_TRUE(observer.expired());
}

// The block records an event in the stream that destroys the function when it returns to its pool.
TEST_F(a_host_stream, takes_functions_that_own_page_locked_memory) {
  pinned_pool pool(*host, *stream, pageable);
  auto held = std::make_shared<host_memory>(pool.allocate(1000));
  stream->call([held = std::move(held)] { static_cast<void>(held->data()); });
  stream->synchronize();
  EXPECT_TRUE(pool.release());
}

TEST_F(a_host_stream, has_events_that_are_done_when_all_earlier_work_is) {
  std::latch free(1);
  const auto before = stream->record();
  stream->call([&] { free.wait(); });
  const auto after = stream->record();
  before->wait();
  EXPECT_TRUE(before->done());
  EXPECT_FALSE(after->done());
  free.count_down();
  after->wait();
  EXPECT_TRUE(after->done());
  after->wait();  // at once
}

TEST_F(a_host_stream, has_events_that_wait) {
  bool called = false;
  stream->call([&] {
    std::this_thread::sleep_for(10ms);
    called = true;
  });
  stream->record()->wait();
  EXPECT_TRUE(called);
  std::unique_ptr<event> outlives = stream->record();
  stream.reset();
  outlives->wait();
  EXPECT_TRUE(outlives->done());
}

TEST_F(a_host_stream, clears_exactly_the_given_bytes) {
  std::vector<std::byte> memory(100, std::byte{7});
  stream->clear(memory.data() + 10, 33);
  stream->clear(memory.data() + 90, 0);
  stream->synchronize();
  for (std::size_t i = 0; i < memory.size(); ++i)
    EXPECT_EQ(memory[i], i >= 10 && i < 43 ? std::byte{0} : std::byte{7}) << i;
}

TEST_F(a_host_stream, copies_rows_and_slices_and_nothing_between_them) {
  std::vector<std::byte> src_bytes(1000);
  for (std::size_t i = 0; i < src_bytes.size(); ++i)
    src_bytes[i] = static_cast<std::byte>(i * 31 + i / 256);
  const std::byte untouched{0x5A};
  struct arrangement {
    std::size_t row, slice;
  };
  for (const pitched_extent extent :
       {pitched_extent{5, 4, 3}, pitched_extent{7, 1, 1}, pitched_extent{1, 9, 2},
        pitched_extent{7, 0, 3}, pitched_extent{7, 2, 0}, pitched_extent{0, 2, 2}})
    for (const auto& [dst, src] : {std::pair{arrangement{8, 80}, arrangement{11, 110}},
                                   {arrangement{7, 63}, arrangement{7, 70}},
                                   {arrangement{20, 200}, arrangement{7, 63}}})
      for (const auto direction : {direction::h2d, direction::d2h}) {
        std::vector<std::byte> dst_bytes(1000, untouched);
        auto expected = dst_bytes;
        for (std::size_t slice = 0; slice < extent.slices; ++slice)
          for (std::size_t row = 0; row < extent.rows; ++row)
            for (std::size_t i = 0; i < extent.row_bytes; ++i)
              expected[3 + slice * dst.slice + row * dst.row + i] =
                  src_bytes[5 + slice * src.slice + row * src.row + i];
        stream->copy_pitched({dst_bytes.data() + 3, dst.row, dst.slice},
                             {src_bytes.data() + 5, src.row, src.slice}, extent, direction);
        stream->synchronize();
        EXPECT_EQ(dst_bytes, expected)
            << extent.row_bytes << " x " << extent.rows << " x " << extent.slices;
      }
}

TEST_F(a_host_stream, has_no_cuda_handle) { EXPECT_EQ(stream->native_handle(), nullptr); }

}  // namespace
}  // namespace transfers::launch_test
