#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace bench_transfers::bench::cpu {

/// These functions access memory in whole lines.
inline constexpr std::size_t line = 64;

/// Loads `bytes` bytes, from lower to higher addresses, and returns the exclusive or of their
/// 8-byte words, which proves that each was loaded. `first` and `bytes`: whole lines.
using reader = std::uint64_t (*)(const std::byte* first, std::size_t bytes);
/// Stores `word` to all of them.
using writer = void (*)(std::byte* first, std::size_t bytes, std::uint64_t word);
/// Flips every bit of each 8-byte word in place.
using changer = void (*)(std::byte* first, std::size_t bytes);

/// This processor's instructions (CPUID, at run time): a function for each method to access memory.
/// The compiler must neither merge nor leave out accesses; tests/e2e/test_instructions.py
/// disassembles them.
struct instruction_set {
  reader read_scalar;        ///< 8-byte loads
  reader read_16_bytes;      ///< ordinary loads as wide as streaming ones
  reader read_vector;        ///< the widest ordinary vector loads
  reader read_streaming;     ///< transfers::streaming_load to 4 KiB, piece by piece; null: none
  writer write_streaming;    ///< the widest non-temporal stores, then a fence; null: none
  changer change;            ///< 8-byte read, modify, write
  std::string vector;        ///< of the vector loads and non-temporal stores: "AVX-512", "AVX2" …
  std::string no_streaming;  ///< why a function above is null, one line
};
const instruction_set& instructions();

/// Pseudo-random accesses number `begin` to `end` - 1, each to a line of its own choice among
/// `lines`.
struct random_accesses {
  std::size_t lines, begin, end;

  /// The line that access `i` goes to.
  [[nodiscard]] constexpr std::size_t line_of(std::size_t i) const {
    // SplitMix64's mixing of an index, scaled to the range without a division (Lemire: "Fast random
    // integer generation in an interval", ACM TOMACS 2019). None of it waits for memory.
    auto z = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z ^= z >> 27;
    return static_cast<std::size_t>(((z >> 32) * lines) >> 32);
  }
};

/// 8-byte loads, each from an address that depends on the value loaded before: their time is a
/// latency. Gives the exclusive or of the words.
std::uint64_t read_random(const std::byte* first, random_accesses where);
/// 8-byte stores of `word`, independent of each other.
void write_random(std::byte* first, random_accesses where, std::uint64_t word);
/// One 8-byte load from each `stride` bytes of `bytes`, from its beginning; `stride`: whole lines.
std::uint64_t read_strided(const std::byte* first, std::size_t bytes, std::size_t stride);

}  // namespace bench_transfers::bench::cpu
