#include "src/transfers/fast/slot_mover.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <latch>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/transfers/core/check_requests.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "tests/unit/transfers/test_bytes.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail::slot_mover_test {
namespace {

using namespace std::chrono_literals;
using testing::Field;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::size_t page = 4096;
constexpr std::array directions{direction::h2d, direction::d2h};
constexpr pipeline_shape few_pages{
    .threads = 3, .slots = 2, .streams = 1, .host_bytes = page, .device_bytes = 0};

TEST(slot_copies, have_parts_that_cover_the_data_and_stay_aligned) {
  for (const std::size_t bytes : {1, 15, 16, 17, 63, 64, 65, 255, 256, 257})
    for (const std::size_t misaligned : {0, 1, 8, 15}) {
      slot_copy copy;
      copy.bytes = bytes;
      copy.slot_bytes = 64;
      copy.slots = 2;
      copy.misaligned = static_cast<std::uint8_t>(misaligned);
      std::size_t next = 0;
      for (std::uint64_t chunk = 0; chunk < copy.chunks(); ++chunk) {
        const auto part = copy.part_of(chunk);
        EXPECT_EQ(part.offset, next);
        EXPECT_GT(part.bytes, 0U);
        EXPECT_LE(part.in_slot + part.bytes, copy.slot_bytes);
        EXPECT_EQ(part.in_slot % 16, (misaligned + part.offset) % 16);
        next += part.bytes;
      }
      EXPECT_EQ(next, bytes);
    }
}

TEST(slot_copies, are_refused_without_bytes_slots_or_blocks) {
  slot_copy good;
  good.bytes = good.slot_bytes = 16;
  good.slots = 1;
  EXPECT_NO_THROW(check_slots(good, 1));
  EXPECT_NO_THROW(check_slots(good, slot_copy::most_blocks));
  const auto refused = [&](auto&& change, unsigned blocks = 1) {
    auto bad = good;
    change(bad);
    EXPECT_THROW(check_slots(bad, blocks), invalid_argument);
  };
  refused([](slot_copy& copy) { copy.bytes = 0; });
  refused([](slot_copy& copy) { copy.slots = 0; });
  refused([](slot_copy& copy) { copy.slot_bytes = 0; });
  refused([](slot_copy& copy) { copy.slot_bytes = 17; });
  refused([](slot_copy& copy) { copy.bytes = 16 * (slot_copy::most_chunks + 1); });
  refused([](slot_copy&) {}, 0);
  refused([](slot_copy&) {}, slot_copy::most_blocks + 1);
}

/// Memory at both ends of a copy, with different bytes.
struct ends {
  ends(device& owner, std::size_t bytes, std::size_t offset_on_device = 0)
      : host(bytes), memory(owner.allocate(bytes + offset_on_device)), offset(offset_on_device) {
    test_bytes(1).write_to(host);
    test_bytes(2).write_to(on_device());
  }
  [[nodiscard]] std::span<std::byte> on_device() const {
    return {memory.data() + offset, host.size()};  // the memory of the host device is the host's
  }
  [[nodiscard]] bool copy(slot_mover& mover, direction direction, const slot_settings& settings) {
    return direction == direction::h2d
               ? mover.copy(on_device().data(), host.data(), host.size(), direction, settings)
               : mover.copy(host.data(), on_device().data(), host.size(), direction, settings);
  }
  /// Whether both ends have the bytes of the source.
  [[nodiscard]] bool are_alike(direction direction) const {
    const test_bytes expected(direction == direction::h2d ? 1 : 2);
    return expected.are_in(host) && expected.are_in(on_device());
  }

  std::vector<std::byte> host;
  device_memory memory;
  std::size_t offset;
};

void expect_exact(device& device, slot_mover& mover, direction direction, std::size_t bytes,
                  std::size_t offset, const slot_settings& settings) {
  ends copied(device, bytes, offset);
  EXPECT_TRUE(copied.copy(mover, direction, settings));
  EXPECT_TRUE(copied.are_alike(direction)) << bytes << " bytes at " << offset;
}

constexpr auto long_wait = 1000s;  // busy machines start the kernel late, too

TEST(slot_mover, copies_every_byte) {
  const auto device = open_host_device();
  chunk_pipeline pipeline(*device, few_pages);
  slot_mover mover(*device, pipeline, long_wait);
  for (const bool streaming : {false, true})
    for (const std::size_t slot : {512UL, page, 100 * page})
      for (const auto direction : directions)
        for (const std::size_t bytes : {1UL, 15UL, 511UL, 512UL, 513UL, 3 * page + 1, 20 * page})
          for (const std::size_t offset : {0, 3, 16})
            expect_exact(*device, mover, direction, bytes, offset,
                         {.slot_bytes = slot, .blocks = 4, .streaming_stores = streaming});
}

TEST(slot_mover, goes_on_after_its_counters_are_used_up) {
  const auto device = open_host_device();
  chunk_pipeline pipeline(*device, {.threads = 1, .slots = 2, .streams = 1, .host_bytes = page});
  slot_mover mover(*device, pipeline, long_wait);
  for (int i = 0; i < 1030; ++i)
    expect_exact(*device, mover, directions[static_cast<std::size_t>(i % 2)], 100, 0,
                 {.slot_bytes = 32});
}

/// A device whose kernels of copy_slots() start only when the test lets them.
class reluctant_device final : public forwarding_device {
 public:
  reluctant_device() : forwarding_device(open_host_device()) {}

  [[nodiscard]] std::unique_ptr<stream> create_stream() override {
    return std::make_unique<reluctant_stream>(forwarding_device::create_stream(), counts, start);
  }

  std::shared_ptr<device_counts> counts = std::make_shared<device_counts>();
  std::shared_ptr<std::latch> start = std::make_shared<std::latch>(1);

 private:
  class reluctant_stream final : public counting_stream {
   public:
    reluctant_stream(std::unique_ptr<stream> inner, std::shared_ptr<device_counts> counts,
                     std::shared_ptr<std::latch> start)
        : counting_stream(std::move(inner), std::move(counts)), start_(std::move(start)) {}
    void copy_slots(const slot_copy& request, unsigned blocks) override {
      call([start = start_] { start->wait(); });
      counting_stream::copy_slots(request, blocks);
    }

   private:
    std::shared_ptr<std::latch> start_;
  };
};

TEST(slot_mover, copies_nothing_if_the_kernel_does_not_start) {
  for (const auto direction : directions) {
    reluctant_device device;
    chunk_pipeline pipeline(device, few_pages);
    slot_mover mover(device, pipeline, 1ns);
    ends late(device, 9 * page);
    EXPECT_FALSE(late.copy(mover, direction, {}));
    EXPECT_FALSE(late.copy(mover, direction, {}));  // the kernel of the first has not started yet
    const auto launches = device.counts->enqueued.load();
    EXPECT_EQ(launches, 3U);  // the counters' clear, the wait, the kernel
    device.start->count_down();
    device.synchronize();
    EXPECT_TRUE(test_bytes(1).are_in(late.host));  // the kernel has not touched them
    EXPECT_TRUE(test_bytes(2).are_in(late.on_device()));
  }
}

TEST(slot_mover, copies_again_once_the_late_kernel_has_ended) {
  reluctant_device device;
  chunk_pipeline pipeline(device, few_pages);
  slot_mover mover(device, pipeline, 1ns);
  ends late(device, 9 * page);
  EXPECT_FALSE(late.copy(mover, direction::h2d, {.slot_bytes = 512}));
  device.start->count_down();
  device.synchronize();
  // However late it starts now, one of the copies finds it running.
  while (!late.copy(mover, direction::h2d, {.slot_bytes = 512})) device.synchronize();
  EXPECT_TRUE(late.are_alike(direction::h2d));
}

TEST(slot_mover, survives_each_operation_that_fails) {
  for (const auto direction : directions) {
    const auto failures = fail_each(failure::operation, [&](counting_device& device) {
      chunk_pipeline pipeline(device, few_pages);
      slot_mover mover(device, pipeline, long_wait);
      ends copied(device, 12 * page);
      try {
        EXPECT_TRUE(copied.copy(mover, direction, {.slot_bytes = page}));
      } catch (const device_error&) {
        device.counts().failing_operation = 0;
        EXPECT_TRUE(copied.copy(mover, direction, {.slot_bytes = page}));
        EXPECT_TRUE(copied.are_alike(direction));
        return false;
      }
      return true;
    });
    EXPECT_EQ(failures, 2U);  // the counters' clear, and the kernel
  }
}

/// A device whose kernels of copy_slots() end without having done anything.
class broken_device final : public forwarding_device {
 public:
  broken_device() : forwarding_device(open_host_device()) {}

  [[nodiscard]] std::unique_ptr<stream> create_stream() override {
    return std::make_unique<broken_stream>(forwarding_device::create_stream(),
                                           std::make_shared<device_counts>());
  }

 private:
  class broken_stream final : public counting_stream {
   public:
    using counting_stream::counting_stream;
    void copy_slots(const slot_copy& request, unsigned /*blocks*/) override {
      call([request] { std::atomic_ref(request.words[request.begun_word(0)]).store(request.run); });
    }
  };
};

TEST(slot_mover, reports_a_kernel_that_ends_early) {
  broken_device device;
  chunk_pipeline pipeline(device, few_pages);
  slot_mover mover(device, pipeline, 1ms);
  ends copied(device, 30 * page);
  const auto copy = [&] {
    // Until the kernel has begun in time.
    while (!copied.copy(mover, direction::h2d, {.slot_bytes = page})) device.synchronize();
  };
  EXPECT_THAT(copy, ThrowsMessage<device_error>(HasSubstr("has ended early")));
}

}  // namespace
}  // namespace transfers::detail::slot_mover_test
