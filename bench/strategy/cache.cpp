#include "bench/strategy/cache.hpp"

#include <atomic>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "transfers/core/workers.hpp"

namespace bench_transfers::bench {

void flush_cache_on_all_cores(std::span<const std::byte> bytes) {
  const transfers::shares sharing{.worth_a_thread = std::size_t{4} << 20};
  transfers::in_parallel(bytes.size(), sharing, [&](std::size_t first, std::size_t count) {
    flush_cache(bytes.subspan(first, count));
  });
}

#if defined(__x86_64__)

namespace {

constexpr std::size_t line = 64;

/// CLFLUSHOPT flushes many lines at once, CLFLUSH one after the other (Intel SDM vol. 2A). CPUID
/// leaf 7, EBX bit 23 reports CLFLUSHOPT.
bool has_clflushopt() noexcept {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & (1U << 23)) != 0;
}

__attribute__((target("clflushopt"))) void flush_with_clflushopt(const std::byte* first,
                                                                 const std::byte* end) noexcept {
  for (; first < end; first += line) _mm_clflushopt(const_cast<std::byte*>(first));
}

void flush_with_clflush(const std::byte* first, const std::byte* end) noexcept {
  for (; first < end; first += line) _mm_clflush(first);
}

}  // namespace

bool can_flush_cache() noexcept { return true; }  // CLFLUSH and MFENCE are part of x86-64

void flush_cache(std::span<const std::byte> bytes) noexcept {
  static const bool optimised = has_clflushopt();
  const auto* const first = bytes.data() - reinterpret_cast<std::uintptr_t>(bytes.data()) % line;
  const auto* const end = bytes.data() + bytes.size();
  (optimised ? flush_with_clflushopt : flush_with_clflush)(first, end);
  complete_accesses();
}

void complete_accesses() noexcept { _mm_mfence(); }

#elif defined(__aarch64__)

// Linux lets programs clean and invalidate lines by address (Documentation/arch/arm64/
// cpu-feature-registers.rst; SCTLR_EL1.UCI), down to the point of coherency, which is memory.

namespace {

/// The smallest line of the data caches, which CTR_EL0 gives as the logarithm of its words (Arm
/// Architecture Reference Manual, CTR_EL0.DminLine).
std::size_t line_bytes() noexcept {
  std::uint64_t caches = 0;
  asm volatile("mrs %0, ctr_el0" : "=r"(caches));
  return std::size_t{4} << (caches >> 16 & 0xF);
}

}  // namespace

bool can_flush_cache() noexcept { return true; }

void flush_cache(std::span<const std::byte> bytes) noexcept {
  static const auto line = line_bytes();
  const auto* first = bytes.data() - reinterpret_cast<std::uintptr_t>(bytes.data()) % line;
  const auto* const end = bytes.data() + bytes.size();
  for (; first < end; first += line) asm volatile("dc civac, %0" : : "r"(first) : "memory");
  complete_accesses();
}

void complete_accesses() noexcept { asm volatile("dsb sy" : : : "memory"); }

#else

bool can_flush_cache() noexcept { return false; }

void flush_cache(std::span<const std::byte>) noexcept {}

void complete_accesses() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }

#endif

}  // namespace bench_transfers::bench
