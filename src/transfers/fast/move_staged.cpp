#include "src/transfers/fast/move_staged.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "transfers/core/error.hpp"
#include "transfers/fast/streaming.hpp"

namespace transfers::detail {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

/// Of small copies small, so that all threads work on the first and the last chunk; of large ones
/// large, since each piece costs its thread a fraction of a microsecond. Measured
/// (docs/fast_paths/staged.md).
std::size_t piece_of(std::size_t bytes, direction direction) {
  if (bytes >= 32 * mib) return 64 * kib;
  if (direction == direction::d2h || bytes >= 4 * mib) return 16 * kib;
  return bytes < 512 * kib ? 32 * kib : 8 * kib;
}

}  // namespace

void move(std::byte* dst, const std::byte* src, std::size_t bytes, bool streaming) {
  if (streaming)
    streaming_store({dst, bytes}, {src, bytes});
  else
    std::memcpy(dst, src, bytes);
}

std::unique_ptr<chunk_ring> make_ring(device& device, const staging& settings) {
  constexpr auto unit = cut::unit;
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
  const auto least = settings[direction].least_chunk;
  const auto most = settings.largest_chunk;
  const auto piece = piece_of(bytes, direction);
  if (direction == direction::h2d) return {.least = least, .most = most, .piece = piece};
  const auto best = std::sqrt(static_cast<double>(bytes) * static_cast<double>(least));
  const auto pages = static_cast<std::size_t>(best) / cut::unit * cut::unit;
  const auto size = std::clamp(pages, least, most);
  // The pages of new memory are created by the threads that write to it first. They wait for each
  // other if they share a huge page.
  return {.least = size, .most = size, .piece = piece, .inner_piece = std::max(piece, size / 4)};
}

void move_staged(chunk_ring& ring, const staging& settings, std::byte* dst, const std::byte* src,
                 std::size_t bytes, direction direction) {
  const bool streaming = settings[direction].streams(bytes);
  const auto cut = cut_of(settings, bytes, direction);
  if (direction == direction::h2d)
    ring.to_device(dst, bytes, cut, [=](std::byte* in_chunk, std::size_t offset, std::size_t size) {
      move(in_chunk, src + offset, size, streaming);
    });
  else
    ring.from_device(src, bytes, cut,
                     [=](std::byte* in_chunk, std::size_t offset, std::size_t size) {
                       move(dst + offset, in_chunk, size, streaming);
                     });
}

}  // namespace transfers::detail
