#include "transfers/launch/graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

using testing::Each;

/// Two blocks and the copy from one to the other.
struct recorded_copy {
  explicit recorded_copy(stream& in)
      : copy(in, [this, &in] { in.copy(to.data(), from.data(), from.size(), direction::h2d); }) {}
  recorded_copy(const recorded_copy&) = delete;
  recorded_copy& operator=(const recorded_copy&) = delete;

  std::vector<std::byte> from = std::vector<std::byte>(1001, std::byte{1});
  std::vector<std::byte> to = std::vector<std::byte>(1001);
  graph copy;
};

TEST(graph, runs_nothing_before_it_is_enqueued) {
  const auto device = open_host_device();
  const auto stream = device->create_stream();
  const recorded_copy one(*stream);
  stream->synchronize();
  EXPECT_THAT(one.to, Each(std::byte{0}));
}

TEST(graph, does_the_same_again_with_what_is_there_then) {
  const auto device = open_host_device();
  const auto stream = device->create_stream();
  recorded_copy one(*stream);
  for (const int value : {1, 2, 3}) {
    std::ranges::fill(one.from, std::byte(value));
    one.copy.enqueue();
    stream->synchronize();
    EXPECT_THAT(one.to, Each(std::byte(value)));
  }
}

TEST(graph, keeps_the_order_of_its_stream) {
  const auto device = open_host_device();
  const auto stream = device->create_stream();
  recorded_copy one(*stream);
  stream->call([&] { std::ranges::fill(one.from, std::byte{9}); });
  one.copy.enqueue();
  stream->clear(one.from.data(), one.from.size());
  stream->synchronize();
  EXPECT_THAT(one.to, Each(std::byte{9}));
  EXPECT_THAT(one.from, Each(std::byte{0}));
}

TEST(graph, passes_on_what_fails_when_it_is_enqueued) {
  counting_device device;
  const auto stream = device.create_stream();
  const recorded_copy one(*stream);
  device.counts().failing_operation = 1;
  EXPECT_THROW(one.copy.enqueue(), device_error);
  EXPECT_NO_THROW(one.copy.enqueue());
  stream->synchronize();
  EXPECT_EQ(one.to, one.from);
}

}  // namespace
}  // namespace transfers
