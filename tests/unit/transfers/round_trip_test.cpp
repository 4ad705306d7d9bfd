#include "transfers/fast/round_trip.hpp"

#include <atomic>
#include <cstdint>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "tests/unit/transfers/test_bytes.hpp"

namespace transfers::round_trip_test {
namespace {

constexpr std::size_t page = 4096;

round_trip_pipeline::shape in_pages() {
  return {.streams = 3,
          .largest_piece = 2 * page,
          .threads = 3,
          .chunks = 6,
          .largest_chunk = 2 * page};
}

/// Whether the device stages both ends, as a GPU's driver does with ordinary memory, or none.
enum class memory { pageable, page_locked };

class round_trips : public testing::TestWithParam<memory> {
 protected:
  void SetUp() override { device_.counts().stages_copies = GetParam() == memory::pageable; }

  /// Adds its offset in the data to each byte, on the device.
  static void add_offsets(stream& stream, std::byte* piece, std::size_t first, std::size_t bytes) {
    stream.call([=] {
      for (std::size_t i = 0; i < bytes; ++i)
        piece[i] = static_cast<std::byte>(static_cast<unsigned>(piece[i]) + first + i);
    });
  }

  void expect_exact(round_trip_pipeline& pipeline, std::size_t bytes, std::size_t unit = 1,
                    std::size_t piece = 0) {
    std::vector<std::byte> src(bytes + 3);
    test_bytes(3).write_to(src);
    std::vector<std::byte> dst(bytes + 128, std::byte{0x5a});
    auto expected = dst;
    for (std::size_t i = 0; i < bytes; ++i)
      expected[i + 1] = static_cast<std::byte>(static_cast<unsigned>(src[i + 3]) + i);
    pipeline.run(dst.data() + 1, src.data() + 3, bytes, add_offsets, unit, piece);
    ASSERT_EQ(dst, expected);
  }

  counting_device device_;
};

TEST_P(round_trips, are_exact_at_odd_sizes_and_offsets) {
  round_trip_pipeline pipeline(device_, in_pages());
  for (const std::size_t bytes : {std::size_t{1}, page - 1, page, page + 1, 2 * page + 1,
                                  11 * page + 7, 64 * page, 200 * page + 1}) {
    SCOPED_TRACE(bytes);
    expect_exact(pipeline, bytes);
  }
}

TEST_P(round_trips, cut_only_between_elements) {
  round_trip_pipeline pipeline(device_, in_pages());
  constexpr std::size_t unit = 7;
  std::mutex mutex;
  std::set<std::size_t> sizes;
  std::vector<std::byte> bytes(unit * 5000);
  pipeline.run(
      bytes.data(), bytes.data(), bytes.size(),
      [&](stream&, std::byte*, std::size_t first, std::size_t count) {
        const std::scoped_lock lock(mutex);
        EXPECT_EQ(first % unit, 0U);
        sizes.insert(count % unit);
      },
      unit);
  EXPECT_THAT(sizes, ElementsAre(0));
}

TEST_P(round_trips, carry_elements_whose_size_does_not_divide_a_page) {
  round_trip_pipeline pipeline(device_, in_pages());
  for (const std::size_t unit : {513, 2049, 4099, 8191}) {
    SCOPED_TRACE(unit);
    expect_exact(pipeline, 50 * unit, unit);
  }
}

TEST_P(round_trips, rethrow_what_a_called_function_throws) {
  round_trip_pipeline pipeline(device_, in_pages());
  std::vector<std::byte> bytes(8 * page);
  const auto work = [&](stream& stream, std::byte*, std::size_t first, std::size_t) {
    stream.call([first] {
      if (first > 0) throw std::domain_error("not that one");
    });
  };
  EXPECT_THROW(pipeline.run(bytes.data(), bytes.data(), bytes.size(), work, 1, page),
               std::domain_error);
  expect_exact(pipeline, 20 * page);
}

TEST_P(round_trips, take_pieces_of_the_requested_size) {
  round_trip_pipeline pipeline(device_, in_pages());
  std::atomic<int> pieces = 0;
  std::vector<std::byte> bytes(10 * page);
  const auto count = [&](stream&, std::byte*, std::size_t, std::size_t) { ++pieces; };
  pipeline.run(bytes.data(), bytes.data(), bytes.size(), count, 1, page);
  EXPECT_EQ(pieces, 10);
  EXPECT_THROW(pipeline.run(bytes.data(), bytes.data(), bytes.size(), count, 1, 2 * page + 1),
               std::invalid_argument);
  EXPECT_THROW(pipeline.run(bytes.data(), bytes.data(), bytes.size(), count, 2 * page + 1),
               std::invalid_argument);
  EXPECT_THROW(pipeline.run(bytes.data(), bytes.data(), bytes.size(), count, 0),
               std::invalid_argument);
}

TEST_P(round_trips, survive_each_operation_that_fails) {
  const auto staged = GetParam() == memory::pageable;
  const auto failures = fail_each(failure::operation, [&](counting_device& device) {
    device.counts().stages_copies = staged;
    device.counts().slowed_by = 20us;
    round_trip_pipeline pipeline(device, in_pages());
    std::vector<std::byte> bytes(8 * page);
    try {
      pipeline.run(bytes.data(), bytes.data(), bytes.size(), add_offsets, 1, page);
    } catch (const device_error&) {
      EXPECT_TRUE(device.counts().idle()) << "something was still under way";
      return false;
    }
    return true;
  });
  EXPECT_GE(failures, 8U * 4);  // copies, work and event of each piece
}

TEST_P(round_trips, survive_work_that_throws) {
  round_trip_pipeline pipeline(device_, in_pages());
  std::vector<std::byte> bytes(8 * page);
  std::atomic<int> calls = 0;
  const auto work = [&](stream&, std::byte*, std::size_t, std::size_t) {
    if (++calls == 3) throw std::domain_error("not that one");
  };
  EXPECT_THROW(pipeline.run(bytes.data(), bytes.data(), bytes.size(), work, 1, page),
               std::domain_error);
  EXPECT_TRUE(device_.counts().idle());
  expect_exact(pipeline, 20 * page);
}

TEST_P(round_trips, survive_memory_that_is_refused) {
  const auto staged = GetParam() == memory::pageable;
  fail_each(failure::allocation, [&](counting_device& device) {
    device.counts().stages_copies = staged;
    round_trip_pipeline pipeline(device, in_pages());
    std::vector<std::byte> bytes(page);
    const auto nothing = [](stream&, std::byte*, std::size_t, std::size_t) {};
    try {
      pipeline.run(bytes.data(), bytes.data(), bytes.size(), nothing);
    } catch (const out_of_memory&) {
      EXPECT_TRUE(device.counts().nothing_allocated());
      device.counts().failing_allocation = 0;
      pipeline.run(bytes.data(), bytes.data(), bytes.size(), nothing);  // succeeds now
      return false;
    }
    return true;
  });
}

TEST_P(round_trips, serve_several_threads) {
  round_trip_pipeline pipeline(device_, in_pages());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 3; ++k) expect_exact(pipeline, (7 + i) * page + i);
    });
}

INSTANTIATE_TEST_SUITE_P(all, round_trips, testing::Values(memory::pageable, memory::page_locked),
                         [](const auto& instance) {
                           return instance.param == memory::pageable ? "pageable" : "page_locked";
                         });

TEST(round_trip, is_one_call_with_a_context) {
  const auto device = open_host_device();
  const context gpu(*device);
  std::vector<std::int32_t> src(100'000);
  std::iota(src.begin(), src.end(), 0);
  std::vector<std::int32_t> dst(src.size());
  round_trip(gpu, src, dst, [](stream& stream, device_view<std::int32_t> piece, std::size_t first) {
    stream.call([=] {
      for (std::size_t i = 0; i < piece.size(); ++i)
        piece.data()[i] = 2 * piece.data()[i] + static_cast<std::int32_t>(first + i);
    });
  });
  for (std::size_t i = 0; i < dst.size(); ++i) ASSERT_EQ(dst[i], 3 * static_cast<std::int32_t>(i));
}

TEST(round_trip, refuses_another_size_and_takes_no_elements) {
  const auto device = open_host_device();
  const context gpu(*device);
  std::vector<float> src(3);
  std::vector<float> dst(2);
  const auto nothing = [](stream&, device_view<float>, std::size_t) { FAIL(); };
  EXPECT_THROW(round_trip(gpu, src, dst, nothing), std::length_error);
  round_trip(gpu, std::span<const float>{}, std::span<float>{}, nothing);
}

TEST(round_trip_pipeline, refuses_shapes_of_zero) {
  const auto device = open_host_device();
  const auto refused = [&](auto&& change) {
    auto shape = in_pages();
    change(shape);
    EXPECT_THROW(round_trip_pipeline(*device, shape), std::invalid_argument);
  };
  refused([](auto& shape) { shape.streams = 0; });
  refused([](auto& shape) { shape.threads = 0; });
  refused([](auto& shape) { shape.chunks = 0; });
  refused([](auto& shape) { shape.largest_piece = 0; });
  refused([](auto& shape) { shape.largest_chunk = page + 1; });
}

}  // namespace
}  // namespace transfers::round_trip_test
