#include "transfers/launch/graph.hpp"

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>

#include "tests/basics.hpp"
#include "tests/gpu/on_gpu.hpp"
#include "tests/gpu/pattern.hpp"
#include "transfers/array/create.hpp"
#include "transfers/array/reduce.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"
#include "transfers/fast/scattered.hpp"

namespace transfers::graph_test {
namespace {

class graph_test : public on_gpu {
 protected:
  void set_up() override {
    stream = gpu->create_stream();
    host = gpu->allocate_host(bytes, pinned());
    device_block = gpu->allocate(bytes);
  }

  void expect_stream_works() {
    write_host_pattern(host.data(), 0, bytes, {99, false});
    stream->copy(device_block.data(), host.data(), bytes, direction::h2d);
    stream->synchronize();
    EXPECT_EQ(check_pattern(*gpu, device_block.data(), 0, bytes, {99, false}).wrong_bytes, 0U);
  }

  static constexpr std::size_t bytes = 1'000'003;
  std::unique_ptr<transfers::stream> stream;
  host_memory host;
  device_memory device_block;
};

TEST_F(graph_test, refuses_work_whose_resources_it_could_not_own) {
  EXPECT_FALSE(stream->is_recording());
  EXPECT_THROW(graph(*stream, [&] { stream->call([] {}); }), unsupported);
  expect_stream_works();
  scattered_copy scattered(*gpu, *stream);
  const scattered_block block{host.data(), 4096};
  EXPECT_THROW(
      graph(*stream,
            [&] {
              EXPECT_TRUE(stream->is_recording());
              scattered.enqueue(std::span(&block, 1), {device_block.data(), 4096}, direction::h2d);
            }),
      unsupported);
  expect_stream_works();
  scattered.enqueue(std::span(&block, 1), {device_block.data(), 4096}, direction::h2d);
  stream->synchronize();
}

TEST_F(graph_test, a_recorded_copy_copies_the_current_content) {
  write_pattern(*gpu, device_block.data(), 0, bytes, {1, true});
  const graph copy(*stream,
                   [&] { stream->copy(device_block.data(), host.data(), bytes, direction::h2d); });
  stream->synchronize();
  EXPECT_EQ(check_pattern(*gpu, device_block.data(), 0, bytes, {1, true}).wrong_bytes, 0U)
      << "it ran while it was recorded";
  for (const std::uint64_t seed : {1, 2, 3}) {
    write_host_pattern(host.data(), 0, bytes, {seed, false});
    copy.enqueue();
    stream->synchronize();
    EXPECT_EQ(check_pattern(*gpu, device_block.data(), 0, bytes, {seed, false}).wrong_bytes, 0U)
        << seed;
  }
}

TEST_F(graph_test, memory_freed_during_a_recording_is_given_back_later) {
  const device_pool pool(*gpu);
  const context context(*gpu, *stream, pool);
  std::optional<gpu_array<int>> array = full<int>(context, {1000}, 3);
  pinned_pool staging(*gpu, *stream);
  std::optional<host_memory> pinned_block = staging.allocate(4096);
  std::optional<gpu_array<int>> made_meanwhile;
  const graph recorded(*stream, [&] {
    array.reset();
    pinned_block.reset();
    made_meanwhile = full<int>(context, {1000}, 4);
  });
  EXPECT_EQ(staging.allocate(4096).size(), 4096U);
  EXPECT_TRUE(staging.release());
  recorded.enqueue();  // only fills the array that exists now
  EXPECT_EQ(sum(*made_meanwhile), 4000);
  EXPECT_EQ(sum(full<int>(context, {1000}, 5)), 5000);
  made_meanwhile.reset();
  stream->synchronize();
  device_pool same = pool;
  EXPECT_TRUE(same.release());
}

TEST_F(graph_test, several_operations_are_replayed_in_order) {
  const auto second = gpu->allocate(bytes);
  write_host_pattern(host.data(), 0, bytes, {5, false});
  const graph round_trip(*stream, [&] {
    stream->copy(device_block.data(), host.data(), bytes, direction::h2d);
    stream->copy_by_kernel(second.data(), device_block.data(), bytes);
    stream->copy(host.data(), second.data(), bytes, direction::d2h);
  });
  for (int i = 0; i < 3; ++i) round_trip.enqueue();
  stream->synchronize();
  EXPECT_EQ(check_host_pattern(host.data(), 0, bytes, {5, false}).wrong_bytes, 0U);
  EXPECT_EQ(check_pattern(*gpu, second.data(), 0, bytes, {5, false}).wrong_bytes, 0U);
}

TEST_F(graph_test, work_that_throws_is_not_recorded_and_the_stream_remains_usable) {
  EXPECT_THROW(graph(*stream,
                     [&] {
                       stream->copy(device_block.data(), host.data(), bytes, direction::h2d);
                       throw std::domain_error("on purpose");
                     }),
               std::domain_error);
  expect_stream_works();
}

TEST_F(graph_test, work_that_waits_is_refused_and_the_stream_remains_usable) {
  EXPECT_THAT([&] { graph(*stream, [&] { stream->synchronize(); }); },
              Throws<device_error>(Property(&device_error::device_lost, false)));

  expect_stream_works();
}

TEST_F(graph_test, a_reduction_is_refused_and_fills_and_sequences_are_recorded) {
  const reduction sum{reduction_operation::sum, element_type::uint32, device_block.data(), nullptr,
                      100};
  EXPECT_THROW(graph(*stream, [&] { static_cast<void>(stream->reduce(sum)); }), unsupported);
  expect_stream_works();
  const graph recorded(*stream, [&] {
    constexpr std::uint32_t value = 1'000'000;
    stream->fill(device_block.data(), std::as_bytes(std::span(&value, 1)), 50);
    element_value first;
    element_value step;
    step.bytes[0] = std::byte{2};
    stream->write_sequence({element_type::uint32, first, step, device_block.data() + 200, 50});
  });
  recorded.enqueue();
  std::uint64_t total = 0;
  const auto result = stream->reduce(sum);
  std::memcpy(&total, result.bytes.data(), sizeof total);
  EXPECT_EQ(total, 50'000'000U + 2 * (49 * 50 / 2));
}

TEST_F(graph_test, a_graph_may_go_before_its_work_is_done) {
  write_host_pattern(host.data(), 0, bytes, {6, false});
  graph(*stream, [&] {
    stream->copy(device_block.data(), host.data(), bytes, direction::h2d);
  }).enqueue();
  stream->synchronize();
  EXPECT_EQ(check_pattern(*gpu, device_block.data(), 0, bytes, {6, false}).wrong_bytes, 0U);
}

}  // namespace
}  // namespace transfers::graph_test
