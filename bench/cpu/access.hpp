#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/cpu/instructions.hpp"
#include "transfers/core/device.hpp"

namespace bench_transfers::bench::cpu {

/// What one thread goes over: a stretch of a block that holds the test pattern, piece by piece, one
/// piece in each turn and several times where it is short. Turns are counted on from one repetition
/// to the next, so that a stretch larger than the caches never comes from them.
struct stretch {
  std::byte* block = nullptr;  ///< where the pattern begins
  std::size_t first = 0;       ///< of the stretch in the block; whole lines, as all of these
  std::size_t bytes = 0;
  std::size_t piece = 0;
  std::size_t passes = 1;              ///< over the piece in each turn
  std::size_t times = 1;               ///< as many single accesses as usual in each turn
  std::size_t first_turn = 0;          ///< of this repetition
  std::span<std::byte> ordinary = {};  ///< the thread's own, as large as a piece, of known content
  transfers::pattern pattern;

  [[nodiscard]] std::size_t pieces() const { return bytes / piece; }
  [[nodiscard]] std::size_t offset(std::size_t turn) const {
    return first + turn % pieces() * piece;
  }
};

/// How the CPU accesses memory.
struct access {
  enum class kind { read, write, read_write };
  kind does;
  std::string method;  ///< "memcpy", "random"
  std::string summary;
  /// One turn. Gives a number that proves it, for `is_right`.
  std::function<std::uint64_t(const stretch&, std::size_t turn)> run;
  /// Whether this turn, the last of the repetition, has done what it had to.
  std::function<bool(const stretch&, std::size_t turn, std::uint64_t result)> is_right;
  /// Drops from all caches what this turn will access.
  std::function<void(const stretch&, std::size_t turn)> flush;
  /// Writes the pattern again to what this turn has changed; none: it only reads.
  std::function<void(const stretch&, std::size_t turn)> restore = {};
  /// Bytes that one turn loads or stores.
  std::function<std::size_t(const stretch&)> bytes;
  bool uses_ordinary = false;  ///< memory of the thread's own
  bool single = false;         ///< 8 bytes here and there: its time per access is a figure
  /// So many times the usual amount takes some 0.2 ms where the memory is in a core's own caches.
  std::size_t times_in_caches = 1;
  std::optional<std::string> why_unavailable = {};
  bool plainest = false;              ///< as ordinary programs do it
  bool loads_by_instruction = false;  ///< each load is an instruction of the set

  /// "read_memcpy", "write_fill", "read_modify_write": a variant's name.
  [[nodiscard]] std::string name() const;
};

/// Reads and writes with a processor's instructions, all that there are.
std::vector<access> accesses_with(const instruction_set& with);

}  // namespace bench_transfers::bench::cpu
