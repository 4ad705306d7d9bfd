#pragma once

#include <cstddef>
#include <memory>

#include "src/transfers/fast/chunk_ring.hpp"
#include "transfers/fast/staged_copy.hpp"

namespace transfers::detail {

/// Copies with streaming_store() or with memcpy.
void move(std::byte* dst, const std::byte* src, std::size_t bytes, bool streaming);

/// Throws as the constructor of staged_copier.
[[nodiscard]] std::unique_ptr<chunk_ring> make_ring(device& device, const staging& settings);

/// How staged copies of this size are cut. Uploads begin with small chunks, because the link is
/// idle until the first is full. Downloads end with small ones, because nothing else happens while
/// the last is drained: each has half of the bytes that are left.
[[nodiscard]] cut cut_of(const staging& settings, std::size_t bytes, direction direction);

/// Copies any number of bytes through the ring's memory. Throws what the ring and `copy` throw.
void move_staged(chunk_ring& ring, const staging& settings, std::byte* dst, const std::byte* src,
                 std::size_t bytes, direction direction, const chunk_copy& copy = copy_by_stream);

}  // namespace transfers::detail
