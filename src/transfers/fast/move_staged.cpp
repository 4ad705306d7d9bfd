#include "src/transfers/fast/move_staged.hpp"

#include <algorithm>
#include <cstring>

#include "src/transfers/core/new_pages.hpp"
#include "src/transfers/core/units.hpp"
#include "transfers/core/error.hpp"
#include "transfers/fast/streaming.hpp"

namespace transfers::detail {
namespace {

/// Where threads have to be ready at once, at the first chunks of an upload and the last ones of a
/// download. Each piece costs about 0.1 µs that threads cannot share, and more than a microsecond
/// of its thread. Measured (docs/fast_paths/staged.md).
std::size_t piece_of(std::size_t bytes, direction direction) {
  if (direction == direction::h2d) return (bytes < 512 * kib ? 32 : 16) * kib;
  return (bytes < 2 * mib ? 16 : 8) * kib;
}

/// Elsewhere. Measured likewise.
std::size_t inner_piece_of(std::size_t bytes, direction direction) {
  if (bytes >= 32 * mib) return 32 * kib;
  return std::max(16 * kib, piece_of(bytes, direction));
}

/// Each chunk costs the engine more than a microsecond, and nothing else happens while the last of
/// a download is drained: downloads have at least two. Measured, as pieces.
std::size_t least_chunk_of(const staging& settings, std::size_t bytes, direction direction) {
  const auto usual = settings[direction].least_chunk;
  if (direction == direction::h2d) return usual;
  return std::clamp(bytes / 2 / cut::page * cut::page, usual,
                    std::max(usual, std::min(2 * usual, settings.largest_chunk)));
}

}  // namespace

void move(std::byte* dst, const std::byte* src, std::size_t bytes, bool streaming) {
  if (streaming)
    streaming_store({dst, bytes}, {src, bytes});
  else
    std::memcpy(dst, src, bytes);
}

std::unique_ptr<chunk_ring> make_ring(device& device, const staging& settings) {
  constexpr auto unit = cut::page;
  if (settings.threads == 0 || settings.chunks == 0)
    throw invalid_argument("staging needs a thread and a chunk");
  for (const auto chunk :
       {settings.largest_chunk, settings.h2d.least_chunk, settings.d2h.least_chunk})
    if (chunk == 0 || chunk % unit != 0 || chunk > settings.largest_chunk)
      throw invalid_argument(
          "chunks must have a multiple of 4096 bytes, and the least one no more than the largest");
  return std::make_unique<chunk_ring>(device,
                                      chunk_ring::shape{.threads = settings.threads,
                                                        .chunks = settings.chunks,
                                                        .chunk_bytes = settings.largest_chunk});
}

cut cut_of(const staging& settings, std::size_t bytes, direction direction) {
  const auto most = settings.largest_chunk;
  cut how{.least = least_chunk_of(settings, bytes, direction),
          .most = most,
          .piece = piece_of(bytes, direction),
          .inner_piece = inner_piece_of(bytes, direction)};
  if (direction == direction::h2d) {
    // More are no faster, and drive what others use out of the caches.
    how.chunks = std::max(1U, settings.chunks / 2);
    return how;
  }
  how.starts_small = false;
  how.ends_small = true;
  how.shares = 2;
  // Otherwise threads that write to one huge page of new memory wait for each other.
  if (!new_pages::can_be_created_ahead()) how.inner_piece = std::max(how.inner_piece, most / 4);
  return how;
}

void move_staged(chunk_ring& ring, const staging& settings, std::byte* dst, const std::byte* src,
                 std::size_t bytes, direction direction, const chunk_copy& copy) {
  const bool streaming = settings[direction].streams(bytes);
  const auto cut = cut_of(settings, bytes, direction);
  if (direction == direction::h2d) {
    ring.to_device(
        dst, bytes, cut,
        [=](std::byte* in_chunk, std::size_t offset, std::size_t size) {
          move(in_chunk, src + offset, size, streaming);
        },
        copy);
    return;
  }
  new_pages pages(dst, bytes, settings.threads * new_pages::block_bytes);
  ring.from_device(
      src, bytes, cut,
      [=, &pages](std::byte* in_chunk, std::size_t offset, std::size_t size) {
        pages.create_ahead_of(offset);
        move(dst + offset, in_chunk, size, streaming);
      },
      copy);
}

}  // namespace transfers::detail
