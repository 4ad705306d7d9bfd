#include "transfers/launch/graph.hpp"

#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"

namespace transfers::graph_test {
namespace {

/// Two blocks, and a graph that copies the first to the second.
struct recorded_copy {
  explicit recorded_copy(stream& stream)
      : copy(stream,
             [this, &stream] { stream.copy(dst.data(), src.data(), src.size(), direction::h2d); }) {
  }
  recorded_copy(const recorded_copy&) = delete;
  recorded_copy& operator=(const recorded_copy&) = delete;

  std::vector<std::byte> src = std::vector<std::byte>(1001, std::byte{1});
  std::vector<std::byte> dst = std::vector<std::byte>(1001);
  graph copy;
};

TEST(graph, runs_nothing_before_it_is_enqueued) {
  const auto device = open_host_device();
  const auto stream = device->create_stream();
  const recorded_copy recording(*stream);
  stream->synchronize();
  EXPECT_THAT(recording.dst, Each(std::byte{0}));
}

TEST(graph, copies_the_current_content_each_time) {
  const auto device = open_host_device();
  const auto stream = device->create_stream();
  recorded_copy recording(*stream);
  for (const int value : {1, 2, 3}) {
    std::ranges::fill(recording.src, std::byte(value));
    recording.copy.enqueue();
    stream->synchronize();
    EXPECT_THAT(recording.dst, Each(std::byte(value)));
  }
}

TEST(graph, keeps_the_order_of_its_stream) {
  const auto device = open_host_device();
  const auto stream = device->create_stream();
  recorded_copy recording(*stream);
  stream->call([&] { std::ranges::fill(recording.src, std::byte{9}); });
  recording.copy.enqueue();
  stream->clear(recording.src.data(), recording.src.size());
  stream->synchronize();
  EXPECT_THAT(recording.dst, Each(std::byte{9}));
  EXPECT_THAT(recording.src, Each(std::byte{0}));
}

TEST(graph, passes_on_failures_when_it_is_enqueued) {
  counting_device device;
  const auto stream = device.create_stream();
  const recorded_copy recording(*stream);
  device.counts().failing_operation = 1;
  EXPECT_THROW(recording.copy.enqueue(), device_error);
  EXPECT_NO_THROW(recording.copy.enqueue());
  stream->synchronize();
  EXPECT_EQ(recording.dst, recording.src);
}

}  // namespace
}  // namespace transfers::graph_test
