#pragma once

#include <cuda/atomic>

#include "transfers/fast/mailbox.hpp"

namespace transfers {

/// The device-side end of a mailbox, for one thread of a kernel:
///   transfers::mailbox_on_device box(end);
///   for (std::uint32_t message; box.receive(message);) box.answer(2 * message);
/// Relaxed order is enough for the message itself, which is a single word. Use acquire and release
/// order if the message refers to other memory. Release order waits until the kernel's writes have
/// reached the host.
class mailbox_on_device {
 public:
  /// `end` is the kernel's argument.
  __device__ explicit mailbox_on_device(const mailbox_end& end) : end_(end) {}

  /// Waits for the next message. Returns false if the kernel must exit.
  [[nodiscard]] __device__ bool receive(std::uint32_t& message,
                                        cuda::memory_order order = cuda::memory_order_relaxed) {
    // One load at a time: loads from one address are serialised, so with several in flight the
    // first to return would be stale.
    const auto idle_from = nanoseconds();
    do {
      // Reading the clock is slow, so it is read only once in several rounds.
      constexpr int rounds = 64;
#pragma unroll 1
      for (int i = 0; i < rounds; ++i) {
        const auto word = look();
        const auto sequence = static_cast<std::uint32_t>(word >> 32U);
        if (sequence == end_.last_received) continue;
        if (sequence == detail::stop_sequence) return false;
        end_.last_received = sequence;
        message = static_cast<std::uint32_t>(word);
        if (order != cuda::memory_order_relaxed)
          cuda::atomic_thread_fence(order, cuda::thread_scope_system);
        return true;
      }
    } while (nanoseconds() - idle_from <= end_.idle_ns);
    return false;
  }

  /// Answers the last received message.
  __device__ void answer(std::uint32_t message,
                         cuda::memory_order order = cuda::memory_order_relaxed) {
    cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>(*end_.to_host)
        .store(std::uint64_t{end_.last_received} << 32U | message, order);
  }

 private:
  /// A relaxed load at system scope. Inline PTX, because cuda::atomic_ref stores the loaded value
  /// to local memory first.
  [[nodiscard]] __device__ std::uint64_t look() const {
    std::uint64_t word = 0;
    asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(word) : "l"(end_.to_device) : "memory");
    return word;
  }

  [[nodiscard]] static __device__ std::uint64_t nanoseconds() {
    std::uint64_t time = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
  }

  mailbox_end end_;
};

}  // namespace transfers
