#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/verification/pattern.hpp"

// The test pattern and the comparison with it, word by word: for the host and for kernels.
#if defined(__CUDACC__)
#define BENCH_TRANSFERS_BOTH __host__ __device__
#else
#define BENCH_TRANSFERS_BOTH
#endif

namespace bench_transfers::bench {

/// Word i of the sequence: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", OOPSLA 2014), which needs no state but the index.
BENCH_TRANSFERS_BOTH inline std::uint64_t pattern_word(pattern data, std::size_t index) {
  std::uint64_t z = data.seed + (index + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return data.inverted ? ~z : z;
}

/// A range of bytes in a block, and the bytes of one word that are inside it.
struct byte_range {
  std::size_t begin;
  std::size_t end;

  /// The words that have bytes in it.
  [[nodiscard]] std::size_t first_word() const { return begin / 8; }
  [[nodiscard]] std::size_t words() const { return begin == end ? 0 : (end + 7) / 8 - begin / 8; }

  BENCH_TRANSFERS_BOTH std::size_t first(std::size_t word) const {
    return word * 8 > begin ? word * 8 : begin;
  }
  BENCH_TRANSFERS_BOTH std::size_t last(std::size_t word) const {
    return word * 8 + 8 < end ? word * 8 + 8 : end;
  }
  BENCH_TRANSFERS_BOTH bool contains(std::size_t word) const {
    return word * 8 >= begin && word * 8 + 8 <= end;
  }
};

struct write_word {
  std::byte* block;
  byte_range range;
  pattern data;

  BENCH_TRANSFERS_BOTH void operator()(std::size_t word) const {
    const auto value = pattern_word(data, word);
    if (range.contains(word)) {
      *reinterpret_cast<std::uint64_t*>(block + word * 8) = value;
      return;
    }
    for (auto i = range.first(word); i < range.last(word); ++i)
      block[i] = static_cast<std::byte>(value >> (i % 8 * 8));
  }
};

inline constexpr pattern_check no_damage{0, SIZE_MAX};

struct check_word {
  const std::byte* block;
  byte_range range;
  pattern data;

  BENCH_TRANSFERS_BOTH pattern_check operator()(std::size_t word) const {
    const auto value = pattern_word(data, word);
    pattern_check check{0, SIZE_MAX};
    if (range.contains(word) && *reinterpret_cast<const std::uint64_t*>(block + word * 8) == value)
      return check;
    for (auto i = range.first(word); i < range.last(word); ++i) {
      if (block[i] == static_cast<std::byte>(value >> (i % 8 * 8))) continue;
      ++check.wrong_bytes;
      if (i < check.first_wrong) check.first_wrong = i;
    }
    return check;
  }
};

struct merge_checks {
  BENCH_TRANSFERS_BOTH pattern_check operator()(pattern_check a, pattern_check b) const {
    return {a.wrong_bytes + b.wrong_bytes,
            a.first_wrong < b.first_wrong ? a.first_wrong : b.first_wrong};
  }
};

}  // namespace bench_transfers::bench
