#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/cpu/instructions.hpp"
#include "bench/verification/pattern.hpp"
#include "transfers/core/device.hpp"

namespace bench_transfers::bench::cpu {

inline constexpr std::size_t word = sizeof(std::uint64_t);
inline constexpr std::uint64_t filling = 0x5a5a5a5a5a5a5a5aULL;  ///< what is written

/// The part of a block with the test pattern that one thread accesses: one piece in each turn,
/// several times if the piece is short. The turn number continues from one repetition to the next,
/// so that a stretch larger than the caches is never read from them.
struct stretch {
  std::byte* block = nullptr;  ///< where the pattern begins
  std::size_t first = 0;  ///< offset of the stretch in the block; whole lines, like all of these
  std::size_t bytes = 0;
  std::size_t piece = 0;
  std::size_t passes = 1;      ///< over the piece in each turn
  std::size_t times = 1;       ///< factor on the usual number of single accesses in each turn
  std::size_t first_turn = 0;  ///< the first turn of this repetition
  std::span<std::byte> ordinary =
      {};  ///< the thread's own memory, as large as a piece, with known content
  bench::pattern pattern;

  [[nodiscard]] std::size_t pieces() const { return bytes / piece; }
  [[nodiscard]] std::size_t offset(std::size_t turn) const {
    return first + turn % pieces() * piece;
  }
};

enum class access_kind { read, write, read_write };

/// How the CPU accesses memory.
struct access {
  access_kind kind;
  std::string method;  ///< "memcpy", "random"
  std::string summary;
  /// Runs one turn. Returns a number that proves it, for `is_correct`.
  std::function<std::uint64_t(const stretch&, std::size_t turn)> run;
  /// Whether this turn, the last of the repetition, made the right accesses.
  std::function<bool(const stretch&, std::size_t turn, std::uint64_t result)> is_correct;
  /// Flushes the lines that this turn accesses from all caches.
  std::function<void(const stretch&, std::size_t turn)> flush;
  /// Restores the pattern where this turn has written; empty: it only reads.
  std::function<void(const stretch&, std::size_t turn)> restore = {};
  /// Bytes that one turn loads or stores.
  std::function<std::size_t(const stretch&)> bytes;
  bool uses_ordinary = false;  ///< uses the thread's own memory
  bool single = false;         ///< single 8-byte accesses: the time per access is a metric
  /// Factor on the usual amount for about 0.2 ms if the memory is in a core's own caches.
  std::size_t times_in_caches = 1;
  std::optional<std::string> why_unavailable = {};
  bool plainest = false;              ///< the method of ordinary programs
  bool loads_by_instruction = false;  ///< each load is an instruction of the set

  /// "read_memcpy", "write_fill", "read_modify_write": a variant's name.
  [[nodiscard]] std::string name() const;
};

/// All reads and writes with a processor's instructions.
std::vector<access> accesses_with(const instruction_set& instructions);

}  // namespace bench_transfers::bench::cpu
