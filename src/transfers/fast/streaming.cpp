#include "transfers/fast/streaming.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "transfers/core/error.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace transfers {
namespace {

void check(const char* access, std::span<std::byte> dst, std::span<const std::byte> src) {
  if (dst.size() != src.size())
    throw length_error(
        fmt::format("a streaming {} needs a destination of the source's size", access));
}

/// Unlike memcpy, takes null pointers for zero bytes.
void copy_plainly(std::byte* dst, const std::byte* src, std::size_t bytes) {
  if (bytes > 0) std::memcpy(dst, src, bytes);
}

}  // namespace

#if defined(__x86_64__)

namespace {

constexpr std::size_t line = 64;

/// Bytes before the next beginning of a line; 0 at the beginning of one.
std::size_t bytes_to_line(const std::byte* address) {
  return (line - reinterpret_cast<std::uintptr_t>(address) % line) % line;
}

constexpr std::size_t bounce_bytes = 4096;  // a fraction of any first-level cache

/// Loads whole lines without other accesses in between: the processor may evict a fill buffer for
/// another access, and then fetches its line again.
__attribute__((target("sse4.1"))) void load_lines(std::byte* dst, const std::byte* src,
                                                  std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += line) {
    // Intel's intrinsic takes a pointer to non-const.
    auto* const src_lines = reinterpret_cast<__m128i*>(const_cast<std::byte*>(src + i));
    auto* const dst_lines = reinterpret_cast<__m128i*>(dst + i);
    const auto a = _mm_stream_load_si128(src_lines + 0);
    const auto b = _mm_stream_load_si128(src_lines + 1);
    const auto c = _mm_stream_load_si128(src_lines + 2);
    const auto d = _mm_stream_load_si128(src_lines + 3);
    _mm_storeu_si128(dst_lines + 0, a);
    _mm_storeu_si128(dst_lines + 1, b);
    _mm_storeu_si128(dst_lines + 2, c);
    _mm_storeu_si128(dst_lines + 3, d);
  }
}

/// `dst` must begin a line, in both. A line that is written completely is never read.
__attribute__((target("avx512f"))) void store_lines_by_avx512(std::byte* dst, const std::byte* src,
                                                              std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += line)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(dst + i), _mm512_loadu_si512(src + i));
}

/// Every x86-64 processor has these stores (SSE2).
void store_lines_by_sse2(std::byte* dst, const std::byte* src, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += line) {
    const auto* const src_lines = reinterpret_cast<const __m128i*>(src + i);
    auto* const dst_lines = reinterpret_cast<__m128i*>(dst + i);
    const auto a = _mm_loadu_si128(src_lines + 0);
    const auto b = _mm_loadu_si128(src_lines + 1);
    const auto c = _mm_loadu_si128(src_lines + 2);
    const auto d = _mm_loadu_si128(src_lines + 3);
    _mm_stream_si128(dst_lines + 0, a);
    _mm_stream_si128(dst_lines + 1, b);
    _mm_stream_si128(dst_lines + 2, c);
    _mm_stream_si128(dst_lines + 3, d);
  }
}

}  // namespace

void streaming_load(std::span<std::byte> dst, std::span<const std::byte> src) {
  check("load", dst, src);
  auto* next_dst = dst.data();
  const auto* next_src = src.data();
  auto remaining = src.size();
  const auto head = bytes_to_line(next_src);
  if (why_no_streaming_loads() || remaining < head + line)
    return copy_plainly(next_dst, next_src, remaining);
  const auto advance = [&](std::size_t bytes) {
    next_dst += bytes;
    next_src += bytes;
    remaining -= bytes;
  };
  copy_plainly(next_dst, next_src, head);
  advance(head);
  // Streaming loads are not ordered after earlier accesses (Intel SDM vol. 2B, MOVNTDQA).
  _mm_mfence();
  // Large data go through a buffer in the cache, so that writes to memory do not come between the
  // loads.
  alignas(line) std::byte bounce[bounce_bytes];
  const bool directly = src.size() <= bounce_bytes;
  while (remaining >= line) {
    const auto part = std::min(remaining / line * line, bounce_bytes);
    load_lines(directly ? next_dst : bounce, next_src, part);
    if (!directly) std::memcpy(next_dst, bounce, part);
    advance(part);
  }
  copy_plainly(next_dst, next_src, remaining);
}

void streaming_store(std::span<std::byte> dst, std::span<const std::byte> src) {
  check("store", dst, src);
  const auto bytes = src.size();
  const auto head = bytes_to_line(dst.data());
  if (bytes < head + line) return copy_plainly(dst.data(), src.data(), bytes);
  std::memcpy(dst.data(), src.data(), head);
  const auto lines = (bytes - head) / line * line;
  static const auto store_lines =
      __builtin_cpu_supports("avx512f") ? store_lines_by_avx512 : store_lines_by_sse2;
  store_lines(dst.data() + head, src.data() + head, lines);
  // Other processors and devices must see these stores before any later ones.
  _mm_sfence();
  const auto end = head + lines;
  std::memcpy(dst.data() + end, src.data() + end, bytes - end);
}

namespace {

__attribute__((target("clwb"))) void write_back_line_by_clwb(const std::byte* at) noexcept {
  _mm_clwb(const_cast<std::byte*>(at));
}
__attribute__((target("clflushopt"))) void write_back_line_by_clflushopt(
    const std::byte* at) noexcept {
  _mm_clflushopt(const_cast<std::byte*>(at));
}
void write_back_line_by_clflush(const std::byte* at) noexcept { _mm_clflush(at); }

/// CPUID leaf 7, EBX: bit 24 is CLWB, bit 23 CLFLUSHOPT (Intel SDM vol. 2A).
auto best_write_back() noexcept {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  const bool known = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0;
  if (known && (ebx & (1U << 24)) != 0) return write_back_line_by_clwb;
  if (known && (ebx & (1U << 23)) != 0) return write_back_line_by_clflushopt;
  return write_back_line_by_clflush;
}

}  // namespace

void write_back(std::span<const std::byte> bytes) noexcept {
  static const auto write_back_line = best_write_back();
  if (bytes.empty()) return;
  const auto* at = bytes.data() - reinterpret_cast<std::uintptr_t>(bytes.data()) % line;
  for (const auto* const end = bytes.data() + bytes.size(); at < end; at += line)
    write_back_line(at);
  _mm_sfence();
}

std::optional<std::string> why_no_streaming_loads() {
  if (__builtin_cpu_supports("sse4.1")) return std::nullopt;
  return "this processor has no streaming loads (SSE4.1)";
}

#else

void streaming_load(std::span<std::byte> dst, std::span<const std::byte> src) {
  check("load", dst, src);
  copy_plainly(dst.data(), src.data(), src.size());
}

void streaming_store(std::span<std::byte> dst, std::span<const std::byte> src) {
  check("store", dst, src);
  copy_plainly(dst.data(), src.data(), src.size());
}

#if defined(__aarch64__)

void write_back(std::span<const std::byte> bytes) noexcept {
  if (bytes.empty()) return;
  std::uint64_t caches = 0;
  asm volatile("mrs %0, ctr_el0" : "=r"(caches));
  const auto line = std::size_t{4} << (caches >> 16 & 0xF);
  const auto* at = bytes.data() - reinterpret_cast<std::uintptr_t>(bytes.data()) % line;
  for (const auto* const end = bytes.data() + bytes.size(); at < end; at += line)
    asm volatile("dc cvac, %0" : : "r"(at) : "memory");
  asm volatile("dsb sy" : : : "memory");
}

#else

void write_back(std::span<const std::byte>) noexcept {}

#endif

std::optional<std::string> why_no_streaming_loads() {
  return "streaming loads of write-combined memory are instructions of x86 processors";
}

#endif

}  // namespace transfers
