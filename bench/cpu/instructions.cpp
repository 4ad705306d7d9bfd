#include "bench/cpu/instructions.hpp"

#include <algorithm>
#include <array>

#include "transfers/fast/streaming.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bench_transfers::bench::cpu {
namespace {

/// The compiler does not merge, omit or vectorize volatile accesses.
inline std::uint64_t load(const std::byte* at) {
  return *reinterpret_cast<const volatile std::uint64_t*>(at);
}
inline void store(std::byte* at, std::uint64_t word) {
  *reinterpret_cast<volatile std::uint64_t*>(at) = word;
}

std::uint64_t read_words(const std::byte* first, std::size_t bytes) {
  // Several sums, so that no load waits for the previous sum.
  std::uint64_t a = 0, b = 0, c = 0, d = 0;
  for (const auto* const end = first + bytes; first < end; first += line) {
    a ^= load(first) ^ load(first + 8);
    b ^= load(first + 16) ^ load(first + 24);
    c ^= load(first + 32) ^ load(first + 40);
    d ^= load(first + 48) ^ load(first + 56);
  }
  return a ^ b ^ c ^ d;
}

void change_words(std::byte* first, std::size_t bytes) {
  for (auto* const end = first + bytes; first < end; first += sizeof(std::uint64_t))
    store(first, ~load(first));
}

// A macro, because neither vectors nor the attribute may depend on a template parameter: the
// compiler splits vectors in a function whose target does not have them.
#define BENCH_VECTOR_READER(name, width, attributes)                                  \
  attributes std::uint64_t name(const std::byte* first, std::size_t bytes) {          \
    using vector [[gnu::vector_size(width), gnu::may_alias]] = std::uint64_t;         \
    vector a{}, b{}, c{}, d{};                                                        \
    const auto* const end = first + bytes;                                            \
    for (; end - first >= 4 * (width); first += 4 * (width)) {                        \
      const auto* const at = reinterpret_cast<const volatile vector*>(first);         \
      a ^= at[0];                                                                     \
      b ^= at[1];                                                                     \
      c ^= at[2];                                                                     \
      d ^= at[3];                                                                     \
    }                                                                                 \
    const vector sums = a ^ b ^ c ^ d;                                                \
    auto sum = read_words(first, static_cast<std::size_t>(end - first));              \
    for (std::size_t i = 0; i < (width) / sizeof(std::uint64_t); ++i) sum ^= sums[i]; \
    return sum;                                                                       \
  }

#if defined(__x86_64__)

BENCH_VECTOR_READER(read_sse2, 16, )
BENCH_VECTOR_READER(read_avx2, 32, __attribute__((target("avx2"))))
BENCH_VECTOR_READER(read_avx512, 64, __attribute__((target("avx512f"))))

void write_streaming_sse2(std::byte* first, std::size_t bytes, std::uint64_t word) {
  const auto value = _mm_set1_epi64x(static_cast<long long>(word));
  for (auto* const end = first + bytes; first < end; first += sizeof value)
    _mm_stream_si128(reinterpret_cast<__m128i*>(first), value);
  _mm_sfence();
}

__attribute__((target("avx2"))) void write_streaming_avx2(std::byte* first, std::size_t bytes,
                                                          std::uint64_t word) {
  const auto value = _mm256_set1_epi64x(static_cast<long long>(word));
  for (auto* const end = first + bytes; first < end; first += sizeof value)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(first), value);
  _mm_sfence();
}

__attribute__((target("avx512f"))) void write_streaming_avx512(std::byte* first, std::size_t bytes,
                                                               std::uint64_t word) {
  const auto value = _mm512_set1_epi64(static_cast<long long>(word));
  for (auto* const end = first + bytes; first < end; first += sizeof value)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(first), value);
  _mm_sfence();
}

instruction_set detect() {
  if (__builtin_cpu_supports("avx512f"))
    return {read_words,   read_sse2, read_avx512, nullptr, write_streaming_avx512,
            change_words, "AVX-512", ""};
  if (__builtin_cpu_supports("avx2"))
    return {read_words,           read_sse2,    read_avx2, nullptr,
            write_streaming_avx2, change_words, "AVX2",    ""};
  return {read_words,           read_sse2,    read_sse2, nullptr,
          write_streaming_sse2, change_words, "SSE2",    ""};
}

#else

BENCH_VECTOR_READER(read_16_bytes, 16, )

instruction_set detect() {
  return {read_words,        read_16_bytes,
          read_16_bytes,     nullptr,
          nullptr,           change_words,
          "16-byte vectors", "this program knows non-temporal stores of x86 only"};
}

#endif
#undef BENCH_VECTOR_READER

/// Like a program: loads into a buffer in the cache, and reads the data from there.
std::uint64_t read_by_streaming_loads(const std::byte* first, std::size_t bytes) {
  alignas(line) std::array<std::byte, 4096> piece;
  std::uint64_t sum = 0;
  while (bytes > 0) {
    const auto part = std::min(bytes, piece.size());
    transfers::streaming_load({piece.data(), part}, {first, part});
    sum ^= instructions().read_vector(piece.data(), part);
    first += part;
    bytes -= part;
  }
  return sum;
}

}  // namespace

const instruction_set& instructions() {
  static const auto set = [] {
    auto detected = detect();
    if (const auto reason = transfers::why_no_streaming_loads())
      detected.no_streaming = *reason;
    else
      detected.read_streaming = read_by_streaming_loads;
    return detected;
  }();
  return set;
}

std::uint64_t read_random(const std::byte* first, random_accesses where) {
  std::uint64_t zero = 0;
  asm volatile("" : "+r"(zero));  // hides the value from the compiler
  std::uint64_t sum = 0;
  std::uint64_t loaded = 0;
  for (auto i = where.begin; i < where.end; ++i) {
    loaded = load(first + where.line_of(i) * line + (loaded & zero));
    sum ^= loaded;
  }
  return sum;
}

void write_random(std::byte* first, random_accesses where, std::uint64_t word) {
  for (auto i = where.begin; i < where.end; ++i) store(first + where.line_of(i) * line, word);
}

std::uint64_t read_strided(const std::byte* first, std::size_t bytes, std::size_t stride) {
  std::uint64_t sum = 0;
  for (const auto* const end = first + bytes; first < end; first += stride) sum ^= load(first);
  return sum;
}

}  // namespace bench_transfers::bench::cpu
