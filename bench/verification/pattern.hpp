#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

/// The result of a comparison with the test pattern.
struct pattern_check {
  std::size_t wrong_bytes = 0;
  std::size_t first_wrong = 0;  ///< offset in bytes; meaningful when wrong_bytes > 0
};

/// "transfer: 3 bytes differ, the first at offset 5"; nullopt if none do. `which` begins it.
std::optional<std::string> words_of(const pattern_check& damage, const std::string& which = "");

/// A reproducible pseudo-random byte sequence: byte i depends on seed and i only. `inverted` flips
/// every bit, so that the two forms differ in every single byte.
struct pattern {
  std::uint64_t seed = 0;
  bool inverted = false;

  /// Bytes 8·index to 8·index + 7, the first in the lowest bits.
  [[nodiscard]] std::uint64_t word(std::size_t index) const;
  /// Words first, first + 1 and so on, by the calling thread alone; faster than one by one.
  void words(std::size_t first, std::span<std::uint64_t> words) const;
};

/// Writes bytes [offset, offset + bytes) of the pattern to `block + offset` in device memory.
/// `block` must be a multiple of 8, as device::allocate() returns it. Returns when done. Throws
/// out_of_memory, device_error.
void write_pattern(transfers::device& device, std::byte* block, std::size_t offset,
                   std::size_t bytes, pattern pattern);
/// Compares the same range with the pattern, on the device.
[[nodiscard]] pattern_check check_pattern(transfers::device& device, const std::byte* block,
                                          std::size_t offset, std::size_t bytes, pattern pattern);

/// The same in host memory of any kind, on all cores.
void write_host_pattern(std::byte* block, std::size_t offset, std::size_t bytes, pattern pattern);
[[nodiscard]] pattern_check check_host_pattern(const std::byte* block, std::size_t offset,
                                               std::size_t bytes, pattern pattern);

}  // namespace bench_transfers::bench
