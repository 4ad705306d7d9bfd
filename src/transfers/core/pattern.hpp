#pragma once

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform_reduce.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transfers/core/both_systems.hpp"
#include "transfers/core/device.hpp"

// The test pattern and the comparison with it.

namespace transfers::detail {

/// Word i of the sequence: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", OOPSLA 2014), which needs no state but the index.
TRANSFERS_BOTH inline std::uint64_t pattern_word(pattern data, std::size_t index) {
  std::uint64_t z = data.seed + (index + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return data.inverted ? ~z : z;
}

/// The bytes of one word that are inside the requested range.
struct word_range {
  std::size_t begin;
  std::size_t end;

  TRANSFERS_BOTH std::size_t first(std::size_t word) const {
    return word * 8 > begin ? word * 8 : begin;
  }
  TRANSFERS_BOTH std::size_t last(std::size_t word) const {
    return word * 8 + 8 < end ? word * 8 + 8 : end;
  }
  TRANSFERS_BOTH bool contains(std::size_t word) const {
    return word * 8 >= begin && word * 8 + 8 <= end;
  }
};

struct write_word {
  std::byte* block;
  word_range range;
  pattern data;

  TRANSFERS_BOTH void operator()(std::size_t word) const {
    const auto value = pattern_word(data, word);
    if (range.contains(word)) {
      *reinterpret_cast<std::uint64_t*>(block + word * 8) = value;
      return;
    }
    for (auto i = range.first(word); i < range.last(word); ++i)
      block[i] = static_cast<std::byte>(value >> (i % 8 * 8));
  }
};

struct check_word {
  const std::byte* block;
  word_range range;
  pattern data;

  TRANSFERS_BOTH pattern_check operator()(std::size_t word) const {
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
  TRANSFERS_BOTH pattern_check operator()(pattern_check a, pattern_check b) const {
    return {a.wrong_bytes + b.wrong_bytes,
            a.first_wrong < b.first_wrong ? a.first_wrong : b.first_wrong};
  }
};

template <class Policy>
void write_pattern(const Policy& policy, std::byte* block, std::size_t offset, std::size_t bytes,
                   pattern data) {
  if (bytes == 0) return;
  const auto first = offset / 8;
  const auto words = (offset + bytes + 7) / 8 - first;
  thrust::for_each_n(policy, thrust::counting_iterator<std::size_t>(first), words,
                     write_word{block, {offset, offset + bytes}, data});
}

template <class Policy>
pattern_check check_pattern(const Policy& policy, const std::byte* block, std::size_t offset,
                            std::size_t bytes, pattern data) {
  if (bytes == 0) return {};
  const thrust::counting_iterator<std::size_t> first(offset / 8);
  const auto words = (offset + bytes + 7) / 8 - offset / 8;
  return thrust::transform_reduce(policy, first, first + static_cast<std::ptrdiff_t>(words),
                                  check_word{block, {offset, offset + bytes}, data},
                                  pattern_check{0, SIZE_MAX}, merge_checks{});
}

}  // namespace transfers::detail
