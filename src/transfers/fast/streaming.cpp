#include "transfers/fast/streaming.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace transfers {
namespace {

void check_load(std::span<std::byte> destination, std::span<const std::byte> source) {
  if (destination.size() != source.size())
    throw std::length_error("a streaming load needs a destination of the source's size");
}

void check_store(std::span<std::byte> destination, std::span<const std::byte> source) {
  if (destination.size() != source.size())
    throw std::length_error("a streaming store needs a destination of the source's size");
}

}  // namespace

#if defined(__x86_64__)

namespace {

constexpr std::size_t line = 64;
constexpr std::size_t bounce_bytes = 4096;  // a fraction of any first-level cache

/// Loads of whole lines follow each other directly: a fill buffer that waits for somebody else's
/// access is given up, and its line fetched again.
__attribute__((target("sse4.1"))) void load_lines(std::byte* to, const std::byte* from,
                                                  std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += line) {
    // Intel's intrinsic wants a pointer to what is not const.
    auto* const source = reinterpret_cast<__m128i*>(const_cast<std::byte*>(from + i));
    auto* const destination = reinterpret_cast<__m128i*>(to + i);
    const auto a = _mm_stream_load_si128(source + 0);
    const auto b = _mm_stream_load_si128(source + 1);
    const auto c = _mm_stream_load_si128(source + 2);
    const auto d = _mm_stream_load_si128(source + 3);
    _mm_storeu_si128(destination + 0, a);
    _mm_storeu_si128(destination + 1, b);
    _mm_storeu_si128(destination + 2, c);
    _mm_storeu_si128(destination + 3, d);
  }
}

/// `to` begins a line. Every x86-64 processor has these stores (SSE2), and a line that is written
/// as a whole is never read.
void store_lines(std::byte* to, const std::byte* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += line) {
    const auto* const source = reinterpret_cast<const __m128i*>(from + i);
    auto* const destination = reinterpret_cast<__m128i*>(to + i);
    const auto a = _mm_loadu_si128(source + 0);
    const auto b = _mm_loadu_si128(source + 1);
    const auto c = _mm_loadu_si128(source + 2);
    const auto d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(destination + 0, a);
    _mm_stream_si128(destination + 1, b);
    _mm_stream_si128(destination + 2, c);
    _mm_stream_si128(destination + 3, d);
  }
}

}  // namespace

void streaming_load(std::span<std::byte> destination, std::span<const std::byte> source) {
  check_load(destination, source);
  auto* to = destination.data();
  const auto* from = source.data();
  auto left = source.size();
  const auto misaligned = reinterpret_cast<std::uintptr_t>(from) % line;
  const auto head = misaligned == 0 ? 0 : line - misaligned;
  if (why_no_streaming_loads() || left < head + line) {
    if (left > 0) std::memcpy(to, from, left);
    return;
  }
  const auto copy_plainly = [&](std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
    to += bytes;
    from += bytes;
    left -= bytes;
  };
  copy_plainly(head);
  // Streaming loads are not ordered with what came before (Intel SDM vol. 2B, MOVNTDQA).
  _mm_mfence();
  // Much is copied by way of a buffer in the cache, so that writing to memory does not come between
  // the loads.
  alignas(line) std::byte bounce[bounce_bytes];
  const bool directly = source.size() <= bounce_bytes;
  while (left >= line) {
    const auto part = std::min(left / line * line, bounce_bytes);
    load_lines(directly ? to : bounce, from, part);
    if (!directly) std::memcpy(to, bounce, part);
    to += part;
    from += part;
    left -= part;
  }
  copy_plainly(left);
}

void streaming_store(std::span<std::byte> destination, std::span<const std::byte> source) {
  check_store(destination, source);
  auto* to = destination.data();
  const auto* from = source.data();
  auto left = source.size();
  const auto misaligned = reinterpret_cast<std::uintptr_t>(to) % line;
  const auto head = misaligned == 0 ? 0 : line - misaligned;
  if (left < head + line) {
    if (left > 0) std::memcpy(to, from, left);
    return;
  }
  std::memcpy(to, from, head);
  const auto lines = (left - head) / line * line;
  store_lines(to + head, from + head, lines);
  // Others, devices too, must not see what comes later before they see this.
  _mm_sfence();
  std::memcpy(to + head + lines, from + head + lines, left - head - lines);
}

std::optional<std::string> why_no_streaming_loads() {
  if (__builtin_cpu_supports("sse4.1")) return std::nullopt;
  return "this processor has no streaming loads (SSE4.1)";
}

#else

void streaming_load(std::span<std::byte> destination, std::span<const std::byte> source) {
  check_load(destination, source);
  if (!source.empty()) std::memcpy(destination.data(), source.data(), source.size());
}

void streaming_store(std::span<std::byte> destination, std::span<const std::byte> source) {
  check_store(destination, source);
  if (!source.empty()) std::memcpy(destination.data(), source.data(), source.size());
}

std::optional<std::string> why_no_streaming_loads() {
  return "streaming loads of write-combined memory are instructions of x86 processors";
}

#endif

}  // namespace transfers
