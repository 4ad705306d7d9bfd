#pragma once

#include <cuda/atomic>

#include "transfers/mailbox.hpp"

namespace transfers {

/// The device's end of a mailbox, for one thread of a kernel:
///   transfers::mailbox_on_device box(end);
///   for (std::uint32_t message; box.receive(message);) box.answer(2 * message);
/// A message is a word of its own, so relaxed order is enough for it; say acquire and release where
/// other memory goes along with it. Release order waits until the kernel's writes have reached the
/// host, about as long as another message takes.
class mailbox_on_device {
 public:
  __device__ explicit mailbox_on_device(const mailbox_end& end) : end_(end) {}

  /// Waits for the next message. False: leave.
  [[nodiscard]] __device__ bool receive(std::uint32_t& message,
                                        cuda::memory_order order = cuda::memory_order_relaxed) {
    // A look at host memory takes a good part of a round trip. With several under way, one after
    // the other, the next one finds the message sooner.
    constexpr int under_way = 4;
    constexpr long long cycles_between = 400;
    std::uint64_t looks[under_way];
#pragma unroll
    for (int k = 0; k < under_way; ++k) {
      looks[k] = look();
      const auto begin = clock64();
      while (clock64() - begin < cycles_between) {
      }
    }
    const auto idle_from = nanoseconds();
    for (;;) {
      // The clock is slow to read: now and then is enough.
      constexpr int rounds = 16;
#pragma unroll 1
      for (int i = 0; i < rounds; ++i) {
#pragma unroll
        for (int k = 0; k < under_way; ++k) {
          const auto sequence = static_cast<std::uint32_t>(looks[k] >> 32U);
          if (sequence != end_.seen) {
            if (sequence == detail::stop_sequence) return false;
            end_.seen = sequence;
            message = static_cast<std::uint32_t>(looks[k]);
            if (order != cuda::memory_order_relaxed)
              cuda::atomic_thread_fence(order, cuda::thread_scope_system);
            return true;
          }
          looks[k] = look();
        }
      }
      if (nanoseconds() - idle_from > end_.idle_ns) return false;
    }
  }

  /// Answers the message received last.
  __device__ void answer(std::uint32_t message,
                         cuda::memory_order order = cuda::memory_order_relaxed) {
    cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>(*end_.to_host)
        .store(std::uint64_t{end_.seen} << 32U | message, order);
  }

 private:
  /// A relaxed load at system scope. Not by cuda::atomic_ref, which puts what it loads into local
  /// memory first, and so waits for each look before the next one is under way.
  [[nodiscard]] __device__ std::uint64_t look() const {
    std::uint64_t word = 0;
    asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(word) : "l"(end_.to_device) : "memory");
    return word;
  }

  [[nodiscard]] static __device__ std::uint64_t nanoseconds() {
    std::uint64_t now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
  }

  mailbox_end end_;
};

}  // namespace transfers
