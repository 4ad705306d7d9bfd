#pragma once

#include <cstddef>
#include <cstdint>

namespace transfers::detail {

/// Copies of one thread through shared memory by cp.async.bulk (PTX ISA, "Data Movement and
/// Conversion Instructions: cp.async.bulk"; from compute capability 9.0 on). A few of these threads
/// fill a link: the instruction has no registers that wait for data, and what is under way is the
/// stages, however many multiprocessors the GPU has. Addresses and sizes are multiples of 16 bytes.
template <unsigned bytes_of_stage>
class bulk_pipeline {
 public:
  static constexpr unsigned stage_bytes = bytes_of_stage;
  static constexpr unsigned most_stages = 12;
  static constexpr std::size_t unit = 16;

  /// What a thread needs of shared memory beside its stages.
  struct bookkeeping {
    std::uint64_t loaded[most_stages];  ///< mbarriers
    std::byte* dst[most_stages];
    unsigned bytes[most_stages];
  };

#if __CUDA_ARCH__ >= 900
  /// Only one thread of a warp may use its pipeline; the others have one in name (`is_used`).
  __device__ bulk_pipeline(std::byte* stages, bookkeeping& book, unsigned count,
                           bool is_used = true)
      : stages_(stages), book_(book), count_(count) {
    if (!is_used) return;
    for (unsigned i = 0; i < count; ++i)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&book_.loaded[i])));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }

  /// Begins the copy of at most stage_bytes.
  __device__ void copy(std::byte* dst, const std::byte* src, unsigned bytes) {
    if (loading_ == count_ - 1) store_oldest();
    const auto barrier = shared(&book_.loaded[next_]);
    book_.dst[next_] = dst;
    book_.bytes[next_] = bytes;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];" ::"r"(shared(stages_ + std::size_t{next_} * stage_bytes)),
        "l"(src), "r"(bytes), "r"(barrier)
        : "memory");
    next_ = after(next_);
    ++loading_;
  }

  /// Returns when all that has begun is done.
  __device__ void finish() {
    while (loading_ > 0) store_oldest();
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }

 private:
  __device__ static std::uint32_t shared(const void* address) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(address));
  }
  [[nodiscard]] __device__ unsigned after(unsigned stage) const {
    return stage + 1 == count_ ? 0 : stage + 1;
  }

  /// Begins the store of the oldest stage, and returns when the store before it has ended, whose
  /// stage is free then.
  __device__ void store_oldest() {
    const auto barrier = shared(&book_.loaded[oldest_]);
    for (std::uint32_t is_loaded = 0; is_loaded == 0;)
      asm volatile(
          "{ .reg .pred done; mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2; "
          "selp.u32 %0, 1, 0, done; }"
          : "=r"(is_loaded)
          : "r"(barrier), "r"(parity_)
          : "memory");
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(book_.dst[oldest_]),
        "r"(shared(stages_ + std::size_t{oldest_} * stage_bytes)), "r"(book_.bytes[oldest_])
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 1;" ::: "memory");
    oldest_ = after(oldest_);
    if (oldest_ == 0) parity_ ^= 1U;
    --loading_;
  }

  std::byte* stages_;
  bookkeeping& book_;
  unsigned count_;
  unsigned next_ = 0, oldest_ = 0, loading_ = 0;
  std::uint32_t parity_ = 0;  ///< of the barriers' phase, from the oldest stage on
#endif
};

}  // namespace transfers::detail
