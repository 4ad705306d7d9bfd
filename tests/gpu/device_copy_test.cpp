// What device::copy waits for, and who waits for it.
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "tests/basics.hpp"
#include "tests/gpu/blocked_work.hpp"
#include "tests/gpu/on_gpu.hpp"
#include "transfers/core/error.hpp"
#include "transfers/cuda/interop.hpp"

namespace transfers::device_copy_test {
namespace {

class device_copy : public on_gpu {};

/// As kernels of other code have them: streams that synchronize with the legacy default stream.
class blocking_stream {
 public:
  explicit blocking_stream(device& gpu) : current_(gpu.make_current()) {
    EXPECT_EQ(cudaStreamCreate(&handle_), cudaSuccess);
  }
  ~blocking_stream() { cudaStreamDestroy(handle_); }
  blocking_stream(const blocking_stream&) = delete;
  blocking_stream& operator=(const blocking_stream&) = delete;

  [[nodiscard]] cudaStream_t get() const { return handle_; }

 private:
  std::shared_ptr<const void> current_;
  cudaStream_t handle_{};
};

TEST_F(device_copy, waits_for_earlier_work_that_cudaMemcpy_waits_for) {
  const blocking_stream blocking(*gpu);
  const auto block = gpu->allocate(1000);
  for (cudaStream_t const handle : {blocking.get(), cudaStreamLegacy})
    for (const auto direction : {direction::h2d, direction::d2h}) {
      const auto stream = gpu->adopt_stream(handle);
      blocked_work work(*stream);
      std::vector<std::byte> host(1000);
      bool was_done = false;
      std::jthread copying([&] {
        if (direction == direction::h2d)
          gpu->copy(block.data(), host.data(), host.size(), direction);
        else
          gpu->copy(host.data(), block.data(), host.size(), direction);
        was_done = work.is_done();
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      work.go_on();
      copying.join();
      EXPECT_TRUE(was_done);
    }
}

/// During cudaMemcpy each of them waits until the copy has ended.
TEST_F(device_copy, lets_launches_of_other_threads_pass) {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  constexpr int launches = 40;
  const auto block = gpu->allocate(bytes);
  const auto small = gpu->allocate(256);
  const auto stream = gpu->create_stream();
  for (const auto kind : {pageable, pinned()})
    for (const auto direction : {direction::h2d, direction::d2h}) {
      const auto host = gpu->allocate_host(bytes, kind);
      std::fill_n(host.data(), bytes, std::byte{1});
      std::atomic<int> copies = 0;
      std::jthread copying([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          if (direction == direction::h2d)
            gpu->copy(block.data(), host.data(), bytes, direction);
          else
            gpu->copy(host.data(), block.data(), bytes, direction);
          ++copies;
        }
      });
      while (copies == 0) std::this_thread::yield();
      std::vector<int> meanwhile;
      for (int attempt = 0; attempt < 21; ++attempt) {
        const int before = copies;
        for (int i = 0; i < launches; ++i) stream->clear(small.data(), small.size());
        stream->synchronize();
        meanwhile.push_back(copies - before);
        while (copies == before) std::this_thread::yield();  // it goes on copying
      }
      std::ranges::nth_element(meanwhile, meanwhile.begin() + 10);
      EXPECT_LT(meanwhile[10], launches / 4) << to_string(kind);
    }
}

/// In the default mode of cudaStreamBeginCapture, calls of all threads fail that might depend on
/// what is recorded. Which of them do is CUDA's choice.
TEST_F(device_copy, while_another_thread_records_a_graph_is_right_or_refused_in_plain_words) {
  const blocking_stream blocking(*gpu);
  const auto other = gpu->create_stream();
  const auto block = gpu->allocate(1000);
  const std::vector<std::byte> host(1000, std::byte{7});
  const auto expect_right = [&] {
    std::vector<std::byte> back(host.size());
    gpu->copy(block.data(), host.data(), host.size(), direction::h2d);
    gpu->copy(back.data(), block.data(), back.size(), direction::d2h);
    EXPECT_EQ(back, host);
  };
  const auto current = gpu->make_current();
  for (auto* const stream : {static_cast<cudaStream_t>(other->native_handle()), blocking.get()}) {
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    std::optional<device_error> refused;
    std::jthread([&] {
      try {
        expect_right();
      } catch (const device_error& error) {
        refused = error;
      }
    }).join();
    cudaGraph_t recorded{};
    const auto ended = cudaStreamEndCapture(stream, &recorded);
    if (recorded != nullptr) cudaGraphDestroy(recorded);
    cudaGetLastError();
    std::printf("beside a recording: %s; it then ended with %s\n",
                refused ? refused->what() : "copied", cudaGetErrorName(ended));
    if (refused) {
      EXPECT_THAT(refused->what(), HasSubstr("cudaErrorStreamCapture"));
      EXPECT_FALSE(refused->device_lost());
    }
    expect_right();
  }
}

/// Two locks side by side are two registrations.
TEST_F(device_copy, across_two_locks_is_right_or_refused) {
  constexpr std::size_t half = std::size_t{1} << 20;
  const auto host = gpu->allocate_host(2 * half, pageable);
  std::fill_n(host.data(), 2 * half, std::byte{3});
  const auto first = gpu->lock(std::span(host.data(), half));
  const auto second = gpu->lock(std::span(host.data() + half, half));
  const auto block = gpu->allocate(2 * half);
  try {
    gpu->copy(block.data(), host.data(), 2 * half, direction::h2d);
    std::vector<std::byte> back(2 * half);
    gpu->copy(back.data(), block.data(), 2 * half, direction::d2h);
    EXPECT_TRUE(std::equal(back.begin(), back.end(), host.data()));
    std::printf("a copy across two locks: copied\n");
  } catch (const device_error& error) {
    EXPECT_FALSE(error.device_lost());
    std::printf("a copy across two locks: %s\n", error.what());
  }
}

}  // namespace
}  // namespace transfers::device_copy_test
