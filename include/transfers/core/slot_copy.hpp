#pragma once

#include <cstddef>
#include <cstdint>

#include "transfers/core/both_systems.hpp"

namespace transfers {

/// A copy between device memory and page-locked slots, chunk by chunk, by a kernel that runs while
/// threads of the host fill the slots (h2d) or drain them (d2h): stream::copy_slots. Chunk i passes
/// through slot i mod `slots`. The sides tell each other by words in page-locked memory when a
/// chunk is theirs, so the driver has no call for each chunk. Passed to the kernel by value.
struct slot_copy {
  /// A chunk's bytes: where they begin in the data and in its slot.
  struct part {
    std::size_t offset = 0, in_slot = 0, bytes = 0;
  };

  /// Between words, in units of words: a pair of cache lines, which are fetched together.
  static constexpr std::size_t distance = 16;
  static constexpr unsigned most_blocks = 32;  ///< of the kernel; each has 544 threads

  std::byte* memory = nullptr;     ///< of the slots: address on the device, aligned to 16 bytes
  std::uint64_t* words = nullptr;  ///< address on the device; as many as words_of(slots)
  std::uint64_t* taken = nullptr;  ///< device memory: how many chunks blocks have taken; 0 before
  std::byte* data = nullptr;       ///< device memory
  std::size_t bytes = 0;           ///< of the data
  std::size_t slot_bytes = 0;      ///< a multiple of 16
  std::uint32_t slots = 0;         ///< at least 1
  std::uint64_t run = 0;           ///< number of the copy, of up to 40 bits; greater than before
  bool to_device = true;           ///< the direction
  std::uint8_t misaligned = 0;     ///< `data` modulo 16, which chunks keep in their slots

  static constexpr std::size_t most_chunks = (std::size_t{1} << 24U) - 1;

  static constexpr std::size_t words_of(std::size_t slots) {
    return (1 + 2 * most_blocks + 2 * slots) * distance;
  }
  /// Runs up to the one in this word are cancelled.
  static constexpr TRANSFERS_BOTH std::size_t cancelled_word() { return 0; }
  /// Words of a block: the last run that it has begun, and the last that it has left.
  static constexpr TRANSFERS_BOTH std::size_t begun_word(unsigned block) {
    return (1 + 2 * std::size_t{block}) * distance;
  }
  static constexpr TRANSFERS_BOTH std::size_t left_word(unsigned block) {
    return begun_word(block) + distance;
  }
  /// Words of a slot, written by the host and by the device. They are the last, because copies
  /// have different numbers of slots.
  [[nodiscard]] constexpr TRANSFERS_BOTH std::size_t host_word(std::uint64_t chunk) const {
    return begun_word(most_blocks) + 2 * (chunk % slots) * distance;
  }
  [[nodiscard]] constexpr TRANSFERS_BOTH std::size_t device_word(std::uint64_t chunk) const {
    return host_word(chunk) + distance;
  }

  /// What is in a slot's word once its writer has done its work on the chunk.
  [[nodiscard]] constexpr TRANSFERS_BOTH std::uint64_t done(std::uint64_t chunk) const {
    return run << 24U | (chunk + 1);
  }
  /// Whether the host has done its part before the device's: it has filled the slot, or drained it
  /// of the chunk before. The least value of the host's word then; 0 if nothing is to be done.
  [[nodiscard]] constexpr TRANSFERS_BOTH std::uint64_t needed_by_device(std::uint64_t chunk) const {
    if (to_device) return done(chunk);
    return chunk < slots ? 0 : done(chunk - slots);
  }
  [[nodiscard]] constexpr TRANSFERS_BOTH std::uint64_t needed_by_host(std::uint64_t chunk) const {
    if (!to_device) return done(chunk);
    return chunk < slots ? 0 : done(chunk - slots);
  }

  [[nodiscard]] constexpr TRANSFERS_BOTH std::uint64_t chunks() const {
    return (bytes + misaligned + slot_bytes - 1) / slot_bytes;
  }
  [[nodiscard]] constexpr TRANSFERS_BOTH part part_of(std::uint64_t chunk) const {
    const std::size_t begin = chunk * slot_bytes;
    const std::size_t in_slot = chunk == 0 ? misaligned : 0;
    const std::size_t offset = begin + in_slot - misaligned;
    const std::size_t room = slot_bytes - in_slot;
    return {offset, in_slot, room < bytes - offset ? room : bytes - offset};
  }
};

}  // namespace transfers
