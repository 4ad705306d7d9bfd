#include "transfers/fast/round_trip.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/unit/transfers/counting_device.hpp"

namespace transfers {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t page = 4096;

round_trip_pipeline::shape in_pages() {
  return {.streams = 3,
          .largest_piece = 2 * page,
          .threads = 3,
          .chunks_per_thread = 2,
          .largest_chunk = 2 * page};
}

/// Which ends a device stages: those of ordinary memory of a GPU's, or none.
enum class memory { pageable, page_locked };

class round_trips_through : public testing::TestWithParam<memory> {
 protected:
  void SetUp() override { on_.counts().stages_copies = GetParam() == memory::pageable; }

  /// Adds to each byte its place in the whole, on the device.
  static void add_places(stream& in, std::byte* piece, std::size_t first, std::size_t bytes) {
    in.call([=] {
      for (std::size_t i = 0; i < bytes; ++i)
        piece[i] = static_cast<std::byte>(static_cast<unsigned>(piece[i]) + first + i);
    });
  }

  void expect_exact(round_trip_pipeline& by, std::size_t bytes, std::size_t unit = 1,
                    std::size_t piece = 0) {
    std::vector<std::byte> from(bytes + 3);
    write_host_pattern(from.data(), 0, from.size(), {3});
    std::vector<std::byte> to(bytes + 128, std::byte{0x5a});
    auto expected = to;
    for (std::size_t i = 0; i < bytes; ++i)
      expected[i + 1] = static_cast<std::byte>(static_cast<unsigned>(from[i + 3]) + i);
    by.run(to.data() + 1, from.data() + 3, bytes, add_places, unit, piece);
    ASSERT_EQ(to, expected);
  }

  counting_device on_;
};

TEST_P(round_trips_through, memory_are_exact_at_odd_sizes_and_offsets) {
  round_trip_pipeline by(on_, in_pages());
  for (const std::size_t bytes : {std::size_t{1}, page - 1, page, page + 1, 2 * page + 1,
                                  11 * page + 7, 64 * page, 200 * page + 1}) {
    SCOPED_TRACE(bytes);
    expect_exact(by, bytes);
  }
}

TEST_P(round_trips_through, memory_cut_between_elements_only) {
  round_trip_pipeline by(on_, in_pages());
  constexpr std::size_t unit = 7;
  std::mutex mutex;
  std::set<std::size_t> sizes;
  std::vector<std::byte> bytes(unit * 5000);
  by.run(
      bytes.data(), bytes.data(), bytes.size(),
      [&](stream&, std::byte*, std::size_t first, std::size_t count) {
        const std::scoped_lock lock(mutex);
        EXPECT_EQ(first % unit, 0U);
        sizes.insert(count % unit);
      },
      unit);
  EXPECT_THAT(sizes, testing::ElementsAre(0));
}

TEST_P(round_trips_through, memory_carry_elements_that_no_pages_are_multiples_of) {
  round_trip_pipeline by(on_, in_pages());
  for (const std::size_t unit : {513, 2049, 4099, 8191}) {
    SCOPED_TRACE(unit);
    expect_exact(by, 50 * unit, unit);
  }
}

TEST_P(round_trips_through, memory_tell_what_a_called_function_has_thrown) {
  round_trip_pipeline by(on_, in_pages());
  std::vector<std::byte> bytes(8 * page);
  const auto work = [&](stream& in, std::byte*, std::size_t first, std::size_t) {
    in.call([first] {
      if (first > 0) throw std::domain_error("not that one");
    });
  };
  EXPECT_THROW(by.run(bytes.data(), bytes.data(), bytes.size(), work, 1, page), std::domain_error);
  expect_exact(by, 20 * page);
}

TEST_P(round_trips_through, memory_take_pieces_of_the_size_asked_for) {
  round_trip_pipeline by(on_, in_pages());
  std::atomic<int> pieces = 0;
  std::vector<std::byte> bytes(10 * page);
  const auto count = [&](stream&, std::byte*, std::size_t, std::size_t) { ++pieces; };
  by.run(bytes.data(), bytes.data(), bytes.size(), count, 1, page);
  EXPECT_EQ(pieces, 10);
  EXPECT_THROW(by.run(bytes.data(), bytes.data(), bytes.size(), count, 1, 2 * page + 1),
               std::invalid_argument);
  EXPECT_THROW(by.run(bytes.data(), bytes.data(), bytes.size(), count, 2 * page + 1),
               std::invalid_argument);
  EXPECT_THROW(by.run(bytes.data(), bytes.data(), bytes.size(), count, 0), std::invalid_argument);
}

TEST_P(round_trips_through, memory_survive_each_operation_that_fails) {
  const auto staged = GetParam() == memory::pageable;
  const auto failures = fail_each(failure::operation, [&](counting_device& on) {
    on.counts().stages_copies = staged;
    on.counts().slowed_by = 20us;
    round_trip_pipeline by(on, in_pages());
    std::vector<std::byte> bytes(8 * page);
    try {
      by.run(bytes.data(), bytes.data(), bytes.size(), add_places, 1, page);
    } catch (const device_error&) {
      EXPECT_TRUE(on.counts().idle()) << "something was still under way";
      return false;
    }
    return true;
  });
  EXPECT_GE(failures, 8U * 4);  // copies, work and event of each piece
}

TEST_P(round_trips_through, memory_survive_work_that_throws) {
  round_trip_pipeline by(on_, in_pages());
  std::vector<std::byte> bytes(8 * page);
  std::atomic<int> calls = 0;
  const auto work = [&](stream&, std::byte*, std::size_t, std::size_t) {
    if (++calls == 3) throw std::domain_error("not that one");
  };
  EXPECT_THROW(by.run(bytes.data(), bytes.data(), bytes.size(), work, 1, page), std::domain_error);
  EXPECT_TRUE(on_.counts().idle());
  expect_exact(by, 20 * page);
}

TEST_P(round_trips_through, memory_survive_memory_that_is_refused) {
  const auto staged = GetParam() == memory::pageable;
  fail_each(failure::allocation, [&](counting_device& on) {
    on.counts().stages_copies = staged;
    round_trip_pipeline by(on, in_pages());
    std::vector<std::byte> bytes(page);
    const auto nothing = [](stream&, std::byte*, std::size_t, std::size_t) {};
    try {
      by.run(bytes.data(), bytes.data(), bytes.size(), nothing);
    } catch (const out_of_memory&) {
      EXPECT_TRUE(on.counts().nothing_allocated());
      on.counts().failing_allocation = 0;
      by.run(bytes.data(), bytes.data(), bytes.size(), nothing);  // tried again
      return false;
    }
    return true;
  });
}

TEST_P(round_trips_through, memory_serve_several_threads) {
  round_trip_pipeline by(on_, in_pages());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 3; ++k) expect_exact(by, (7 + i) * page + i);
    });
}

INSTANTIATE_TEST_SUITE_P(pageable_or, round_trips_through,
                         testing::Values(memory::pageable, memory::page_locked),
                         [](const auto& one) {
                           return one.param == memory::pageable ? "pageable" : "page_locked";
                         });

TEST(round_trip, is_one_call_with_a_context) {
  const auto on = open_host_device();
  const context in(*on);
  std::vector<std::int32_t> from(100'000);
  std::iota(from.begin(), from.end(), 0);
  std::vector<std::int32_t> to(from.size());
  round_trip(in, from, to, [](stream& at, std::span<std::int32_t> piece, std::size_t first) {
    at.call([=] {
      for (std::size_t i = 0; i < piece.size(); ++i)
        piece[i] = 2 * piece[i] + static_cast<std::int32_t>(first + i);
    });
  });
  for (std::size_t i = 0; i < to.size(); ++i) ASSERT_EQ(to[i], 3 * static_cast<std::int32_t>(i));
}

TEST(round_trip, refuses_another_size_and_does_nothing_with_nothing) {
  const auto on = open_host_device();
  const context in(*on);
  std::vector<float> from(3);
  std::vector<float> to(2);
  const auto nothing = [](stream&, std::span<float>, std::size_t) { FAIL(); };
  EXPECT_THROW(round_trip(in, from, to, nothing), std::length_error);
  round_trip(in, std::span<const float>{}, std::span<float>{}, nothing);
}

TEST(round_trip_pipeline, refuses_shapes_of_nothing) {
  const auto on = open_host_device();
  const auto refused = [&](auto&& change) {
    auto how = in_pages();
    change(how);
    EXPECT_THROW(round_trip_pipeline(*on, how), std::invalid_argument);
  };
  refused([](auto& how) { how.streams = 0; });
  refused([](auto& how) { how.threads = 0; });
  refused([](auto& how) { how.chunks_per_thread = 0; });
  refused([](auto& how) { how.largest_piece = 0; });
  refused([](auto& how) { how.largest_chunk = page + 1; });
}

}  // namespace
}  // namespace transfers
