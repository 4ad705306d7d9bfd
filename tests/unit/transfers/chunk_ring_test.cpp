#include "src/transfers/fast/chunk_ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "tests/unit/transfers/counting_device.hpp"
#include "tests/unit/transfers/test_bytes.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail::chunk_ring_test {
namespace {

constexpr std::size_t page = cut::page;
constexpr std::array directions{direction::h2d, direction::d2h};
constexpr chunk_ring::shape four_chunks{.threads = 3, .chunks = 4, .chunk_bytes = 2 * page};

/// Memory at both ends of a copy, with different bytes.
struct ends {
  ends(device& owner, std::size_t bytes) : host(bytes), memory(owner.allocate(bytes)) {
    test_bytes(1).write_to(host);
    test_bytes(2).write_to(on_device());
  }
  [[nodiscard]] std::span<std::byte> on_device() const {
    return {memory.data(), host.size()};  // the memory of the host device is the host's
  }
  void copy(chunk_ring& ring, direction direction, const cut& how) {
    if (direction == direction::h2d)
      ring.to_device(memory.data(), host.size(), how,
                     [this](std::byte* in_chunk, std::size_t offset, std::size_t bytes) {
                       std::memcpy(in_chunk, host.data() + offset, bytes);
                     });
    else
      ring.from_device(memory.data(), host.size(), how,
                       [this](std::byte* in_chunk, std::size_t offset, std::size_t bytes) {
                         std::memcpy(host.data() + offset, in_chunk, bytes);
                       });
  }
  /// Whether both ends have the bytes of the source.
  [[nodiscard]] bool are_alike(direction direction) const {
    const test_bytes expected(direction == direction::h2d ? 1 : 2);
    return expected.are_in(host) && expected.are_in(on_device());
  }

  std::vector<std::byte> host;
  device_memory memory;
};

class rings : public testing::TestWithParam<unsigned> {};

TEST_P(rings, copy_every_byte) {
  const auto device = open_host_device();
  for (const unsigned chunks : {1U, 2U, 5U}) {
    chunk_ring ring(*device, {.threads = GetParam(), .chunks = chunks, .chunk_bytes = 4 * page});
    for (const auto direction : directions)
      for (const auto& how : {cut{}, cut{.least = page, .most = 4 * page, .piece = 1000},
                              cut{.least = 4 * page, .most = 4 * page, .piece = 8 * page},
                              cut{.least = page, .most = page, .piece = 100, .inner_piece = 900}})
        for (const std::size_t bytes : {1UL, 999UL, page - 1, page, page + 1, 30 * page + 7}) {
          ends copied(*device, bytes);
          copied.copy(ring, direction, how);
          EXPECT_TRUE(copied.are_alike(direction)) << bytes << " bytes, pieces of " << how.piece;
        }
  }
}

TEST_P(rings, copy_again_after_larger_and_smaller_copies) {
  const auto device = open_host_device();
  chunk_ring ring(*device, {.threads = GetParam(), .chunks = 3, .chunk_bytes = page});
  for (int i = 0; i < 50; ++i) {
    const auto direction = directions[static_cast<std::size_t>(i % 2)];
    ends copied(*device, 1 + static_cast<std::size_t>(i * 7919 % 40) * page);
    copied.copy(ring, direction, {.piece = 512});
    EXPECT_TRUE(copied.are_alike(direction)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(threads, rings, testing::Values(1, 2, 3, 8));

TEST(chunk_ring, gives_pieces_that_cover_the_data_once) {
  const auto device = open_host_device();
  chunk_ring ring(*device, four_chunks);
  const auto destination = device->allocate(11 * page + 5);
  std::vector<std::atomic<int>> filled(destination.size());
  ring.to_device(destination.data(), destination.size(), {.most = 2 * page, .piece = 600},
                 [&](std::byte* /*in_chunk*/, std::size_t offset, std::size_t bytes) {
                   EXPECT_LE(bytes, 600U);
                   for (std::size_t i = 0; i < bytes; ++i) ++filled.at(offset + i);
                 });
  EXPECT_TRUE(std::ranges::all_of(filled, [](const auto& count) { return count == 1; }));
}

TEST(chunk_ring, has_other_pieces_at_small_ends) {
  const auto device = open_host_device();
  chunk_ring ring(*device, {.threads = 1, .chunks = 2, .chunk_bytes = page});
  const auto destination = device->allocate(6 * page);
  const auto pieces_of_chunks = [&](bool starts_small, bool ends_small) {
    std::vector<std::size_t> pieces(6);
    ring.to_device(destination.data(), destination.size(),
                   {.piece = page / 4,
                    .inner_piece = page,
                    .starts_small = starts_small,
                    .ends_small = ends_small},
                   [&](std::byte* /*in_chunk*/, std::size_t offset, std::size_t /*bytes*/) {
                     ++pieces.at(offset / page);
                   });
    return pieces;
  };
  EXPECT_EQ(pieces_of_chunks(true, false), (std::vector<std::size_t>{4, 4, 1, 1, 1, 1}));
  EXPECT_EQ(pieces_of_chunks(false, true), (std::vector<std::size_t>{1, 1, 1, 1, 4, 4}));
  EXPECT_EQ(pieces_of_chunks(true, true), (std::vector<std::size_t>{4, 4, 1, 1, 4, 4}));
}

TEST(chunk_ring, has_at_most_as_many_chunks_under_way_as_the_cut_says) {
  const auto device = open_host_device();
  chunk_ring ring(*device, {.threads = 1, .chunks = 4, .chunk_bytes = page});
  const auto destination = device->allocate(8 * page);
  const auto memory_used = [&](std::size_t chunks) {
    std::set<const std::byte*> used;
    ring.to_device(destination.data(), destination.size(), {.piece = page, .chunks = chunks},
                   [&](std::byte* in_chunk, std::size_t /*offset*/, std::size_t /*bytes*/) {
                     used.insert(in_chunk);
                   });
    return used.size();
  };
  EXPECT_EQ(memory_used(0), 4U);
  EXPECT_EQ(memory_used(3), 3U);
  EXPECT_EQ(memory_used(9), 4U);
}

TEST(chunk_ring, has_no_more_chunks_under_way_than_it_has_memory_for) {
  counting_device device;
  chunk_ring ring(device, {.threads = 1, .chunks = 2, .chunk_bytes = page});
  const auto destination = device.allocate(20 * page);
  std::size_t enqueued_before = device.counts().enqueued;
  ring.to_device(destination.data(), destination.size(), {},
                 [&](std::byte* /*in_chunk*/, std::size_t /*offset*/, std::size_t /*bytes*/) {
                   EXPECT_LE(device.counts().enqueued - device.counts().finished, 1U);
                 });
  EXPECT_EQ(device.counts().enqueued - enqueued_before, 20U);
}

TEST(chunk_ring, stops_when_a_piece_throws) {
  for (const auto direction : directions)
    for (const std::size_t failing : {0UL, 5 * page, 29 * page}) {
      counting_device device;
      chunk_ring ring(device, four_chunks);
      ends copied(device, 30 * page);
      const auto work = [&](std::byte* /*in_chunk*/, std::size_t offset, std::size_t /*bytes*/) {
        if (offset == failing) throw std::runtime_error("this piece fails on purpose");
      };
      if (direction == direction::h2d)
        EXPECT_THROW(ring.to_device(copied.memory.data(), 30 * page, {}, work), std::runtime_error);
      else
        EXPECT_THROW(ring.from_device(copied.memory.data(), 30 * page, {}, work),
                     std::runtime_error);
      EXPECT_TRUE(device.counts().idle()) << "something was still under way";
      copied.copy(ring, direction, {});
      EXPECT_TRUE(copied.are_alike(direction));
    }
}

TEST(chunk_ring, survives_each_operation_that_fails) {
  for (const auto direction : directions) {
    const auto failures = fail_each(failure::operation, [&](counting_device& device) {
      const auto made = [&]() -> std::unique_ptr<chunk_ring> {
        try {
          return std::make_unique<chunk_ring>(device, four_chunks);
        } catch (const device_error&) {
          return nullptr;
        }
      }();
      if (!made) return false;
      ends copied(device, 12 * page);
      try {
        copied.copy(*made, direction, {});
      } catch (const device_error&) {
        EXPECT_TRUE(device.counts().idle()) << "something was still under way";
        device.counts().failing_operation = 0;
        copied.copy(*made, direction, {});
        EXPECT_TRUE(copied.are_alike(direction));
        return false;
      }
      return true;
    });
    // Four events of the constructor; twelve copies, and the events of chunks that are waited for.
    EXPECT_GE(failures, 4U + 12U + 8U);
  }
}

/// Through the device and back: each byte is filled, copied there and back, and drained.
struct round_trip {
  explicit round_trip(std::size_t bytes)
      : source(bytes), destination(bytes), filled(bytes), drained(bytes) {
    test_bytes(1).write_to(source);
  }
  [[nodiscard]] chunk_work work() {
    return {.fill =
                [this](std::byte* in_chunk, std::size_t offset, std::size_t bytes) {
                  count(filled, offset, bytes);
                  std::memcpy(in_chunk, source.data() + offset, bytes);
                },
            .enqueue =
                [](const chunk& moved, stream& stream) {
                  stream.copy(moved.on_device, moved.on_host, moved.bytes, direction::h2d);
                  stream.call([moved] { std::memset(moved.on_host, 0, moved.bytes); });
                  stream.copy(moved.on_host, moved.on_device, moved.bytes, direction::d2h);
                },
            .drain =
                [this](std::byte* in_chunk, std::size_t offset, std::size_t bytes) {
                  count(drained, offset, bytes);
                  std::memcpy(destination.data() + offset, in_chunk, bytes);
                }};
  }
  static void count(std::vector<std::atomic<int>>& counts, std::size_t offset, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) ++counts.at(offset + i);
  }
  [[nodiscard]] bool is_complete() const {
    const auto is_once = [](const auto& count) { return count == 1; };
    return test_bytes(1).are_in(destination) && std::ranges::all_of(filled, is_once) &&
           std::ranges::all_of(drained, is_once);
  }

  std::vector<std::byte> source, destination;
  std::vector<std::atomic<int>> filled, drained;
};

TEST_P(rings, fill_and_drain_every_byte_once) {
  const auto device = open_host_device();
  for (const unsigned chunks : {1U, 2U, 5U})
    for (const unsigned streams : {1U, 3U}) {
      chunk_ring ring(*device, {.threads = GetParam(),
                                .chunks = chunks,
                                .chunk_bytes = 4 * page,
                                .device_bytes = 4 * page,
                                .streams = streams});
      for (const auto& how : {cut{}, cut{.least = page, .most = 4 * page, .piece = 1000},
                              cut{.least = page, .most = 4 * page, .shares = 2, .ends_small = true},
                              cut{.least = 700, .most = 3000, .piece = 64, .unit = 7}})
        for (const std::size_t bytes : {1UL, page - 1, page + 1, 30 * page + 7}) {
          round_trip trip(bytes);
          ring.run(bytes, how, trip.work());
          EXPECT_TRUE(trip.is_complete()) << bytes << " bytes, " << chunks << " chunks";
        }
    }
}

TEST(chunk_ring, stops_when_a_piece_of_either_end_throws) {
  for (const bool draining : {false, true}) {
    counting_device device;
    chunk_ring ring(device, {.threads = 3, .chunks = 4, .chunk_bytes = page, .device_bytes = page});
    round_trip trip(30 * page);
    auto failing = trip.work();
    (draining ? failing.drain : failing.fill) = [](std::byte*, std::size_t offset, std::size_t) {
      if (offset == 20 * page) throw std::runtime_error("this piece fails on purpose");
    };
    EXPECT_THROW(ring.run(30 * page, {}, failing), std::runtime_error);
    EXPECT_TRUE(device.counts().idle()) << "something was still under way";
    round_trip again(30 * page);
    ring.run(30 * page, {}, again.work());
    EXPECT_TRUE(again.is_complete());
  }
}

/// A device whose streams remember where the last copy was to go, and copy nothing.
class remembering_device final : public forwarding_device {
 public:
  [[nodiscard]] std::unique_ptr<stream> create_stream() override {
    return std::make_unique<remembering_stream>(forwarding_device::create_stream(), last_);
  }
  [[nodiscard]] std::pair<const std::byte*, direction> last() const { return *last_; }

 private:
  using copied = std::pair<const std::byte*, direction>;
  class remembering_stream final : public counting_stream {
   public:
    remembering_stream(std::unique_ptr<stream> inner, std::shared_ptr<copied> last)
        : counting_stream(std::move(inner)), last_(std::move(last)) {}
    void copy(std::byte* dst, const std::byte* /*src*/, std::size_t /*bytes*/,
              direction direction) override {
      *last_ = {dst, direction};
    }

   private:
    std::shared_ptr<copied> last_;
  };

  std::shared_ptr<copied> last_ = std::make_shared<copied>();
};

TEST(chunk_ring, uploads_to_whatever_address_it_is_given_also_after_a_download) {
  remembering_device device;
  chunk_ring ring(device, {.threads = 1, .chunks = 2, .chunk_bytes = page});
  const auto nothing = [](std::byte*, std::size_t, std::size_t) {};
  std::vector<std::byte> source(page);
  ring.from_device(source.data(), page, {}, nothing);
  EXPECT_EQ(device.last().second, direction::d2h);
  ring.to_device(nullptr, page, {}, nothing);  // which the device has to refuse
  EXPECT_EQ(device.last(), std::pair(static_cast<const std::byte*>(nullptr), direction::h2d));
}

TEST(chunk_ring, takes_turns_for_several_threads) {
  const auto device = open_host_device();
  chunk_ring ring(*device, four_chunks);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 10; ++k) {
        ends copied(*device, (5 + i) * page + i);
        copied.copy(ring, directions[i % 2], {.piece = 700});
        EXPECT_TRUE(copied.are_alike(directions[i % 2]));
      }
    });
}

}  // namespace
}  // namespace transfers::detail::chunk_ring_test
