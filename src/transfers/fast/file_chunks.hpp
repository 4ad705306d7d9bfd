#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "src/transfers/fast/chunk_ring.hpp"

namespace transfers::detail {

/// What a file is read by.
struct file_reader {
  /// pread(2): returns the number of bytes read, 0 at the end of the file, or -1 and sets errno.
  std::function<ssize_t(std::byte* memory, std::size_t bytes, std::uint64_t offset)> read;
  std::string name;           ///< of the file, for messages
  std::size_t alignment = 1;  ///< of each read's offset, address and length

  [[nodiscard]] bool is_direct() const noexcept { return alignment > 1; }
};

/// Reads the `needed` bytes at `offset`, and up to the next multiple of the alignment where the
/// file has them. `offset` and `memory` are aligned. Throws std::system_error, unsupported (a
/// direct read is refused), out_of_range (the file ends before).
void read_whole(const file_reader& file, std::byte* memory, std::size_t needed,
                std::uint64_t offset);

/// Copies a range of a file to a device address, by way of the ring's page-locked chunks. Throws
/// what read_whole() and chunk_ring::run() throw, and unsupported if the chunks are smaller
/// than an aligned read.
void copy_from_file(chunk_ring& ring, const file_reader& file, std::byte* dst, std::size_t bytes,
                    std::uint64_t offset);

}  // namespace transfers::detail
