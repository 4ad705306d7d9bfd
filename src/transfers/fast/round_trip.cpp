#include "transfers/fast/round_trip.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>

#include "src/transfers/core/new_pages.hpp"
#include "src/transfers/core/units.hpp"
#include "src/transfers/fast/chunk_ring.hpp"
#include "src/transfers/fast/move_staged.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

using detail::kib;
using detail::mib;
constexpr std::size_t least_piece = 4 * mib;    // of page-locked memory
constexpr std::size_t least_chunk = 256 * kib;  // of staged memory
constexpr unsigned staged_streams = 4;

void require(const round_trip_pipeline::shape& sizes) {
  if (sizes.streams == 0 || sizes.threads == 0 || sizes.chunks == 0)
    throw invalid_argument("a round trip needs a stream, a thread and a chunk");
  for (const auto bytes : {sizes.largest_piece, sizes.largest_chunk})
    if (bytes == 0 || bytes % detail::cut::page != 0)
      throw invalid_argument("the largest pieces must be multiples of 4096 bytes");
}

}  // namespace

struct round_trip_pipeline::state {
  std::shared_ptr<transfers::device> device;
  shape sizes;
  std::mutex making = {};
  std::optional<detail::chunk_ring> direct = {};
  std::optional<detail::chunk_ring> staged = {};

  detail::chunk_ring& ring(bool stages) {
    const std::scoped_lock lock(making);
    auto& ring = stages ? staged : direct;
    if (!ring) ring.emplace(*device, stages ? shape_of_staged() : shape_of_direct());
    return *ring;
  }

  [[nodiscard]] std::size_t largest(bool stages) const {
    return stages ? sizes.largest_chunk : sizes.largest_piece;
  }

  /// Pieces of `piece_bytes` bytes, or of sizes that are chosen if that is 0.
  [[nodiscard]] detail::cut cut_of(bool stages, std::size_t unit, std::size_t piece_bytes) const {
    const auto most = largest(stages);
    constexpr std::size_t thread_piece = 128 * kib;
    if (piece_bytes > 0)
      return {.least = piece_bytes, .most = piece_bytes, .piece = thread_piece, .unit = unit};
    // Also whole pages, if such a piece fits.
    const auto pages = std::lcm(unit, detail::cut::page);
    return {.least = std::min(stages ? least_chunk : least_piece, most),
            .most = most,
            .piece = thread_piece,
            .unit = pages <= most ? pages : unit,
            .shares = stages ? 1 : sizes.streams,
            .ends_small = true};
  }

 private:
  [[nodiscard]] detail::chunk_ring::shape shape_of_staged() const {
    return {.threads = sizes.threads,
            .chunks = sizes.chunks,
            .chunk_bytes = sizes.largest_chunk,
            .device_bytes = sizes.largest_chunk,
            .streams = std::min(staged_streams, sizes.chunks)};
  }
  [[nodiscard]] detail::chunk_ring::shape shape_of_direct() const {
    return {.threads = 1,
            .chunks = sizes.streams,
            .device_bytes = sizes.largest_piece,
            .streams = sizes.streams};
  }
};

round_trip_pipeline::round_trip_pipeline(device& device, const shape& sizes)
    : state_(new state{.device = detail::kept(device), .sizes = sizes}) {
  require(sizes);
}

round_trip_pipeline::~round_trip_pipeline() = default;

void round_trip_pipeline::run(std::byte* dst, const std::byte* src, std::size_t bytes,
                              const device_work& work, std::size_t unit, std::size_t piece_bytes) {
  if (bytes == 0) return;
  auto& device = *state_->device;
  const bool source_direct = device.copies_directly(src);
  const bool destination_direct = device.copies_directly(dst);
  const bool stages = !source_direct || !destination_direct;
  const auto largest = state_->largest(stages);
  if (unit == 0 || unit > largest) throw invalid_argument("a piece must hold at least one element");
  if (piece_bytes > largest)
    throw invalid_argument("this pipeline's pieces have at most " + std::to_string(largest) +
                           " bytes");
  detail::chunk_work steps;
  detail::new_pages pages(dst, destination_direct ? 0 : bytes,
                          state_->sizes.threads * detail::new_pages::block_bytes);
  if (!source_direct)
    steps.fill = [&pages, src](std::byte* in_chunk, std::size_t offset, std::size_t size) {
      pages.create_ahead_of(offset);
      detail::move(in_chunk, src + offset, size, false);
    };
  steps.enqueue = [&](const detail::chunk& piece, stream& stream) {
    const auto current = device.make_current();  // for CUDA code that `work` calls
    stream.copy(piece.on_device, source_direct ? src + piece.offset : piece.on_host, piece.bytes,
                direction::h2d);
    work(stream, piece.on_device, piece.offset, piece.bytes);
    stream.copy(destination_direct ? dst + piece.offset : piece.on_host, piece.on_device,
                piece.bytes, direction::d2h);
  };
  if (!destination_direct)
    steps.drain = [&pages, dst](std::byte* in_chunk, std::size_t offset, std::size_t size) {
      pages.create_ahead_of(offset);
      detail::move(dst + offset, in_chunk, size, true);
    };
  state_->ring(stages).run(bytes, state_->cut_of(stages, unit, piece_bytes), steps);
}

round_trip_pipeline& round_trips(const context& context) {
  return context.slot<round_trip_pipeline>(
      [&context] { return std::make_shared<round_trip_pipeline>(context.device()); });
}

}  // namespace transfers
