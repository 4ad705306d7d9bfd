#include "transfers/fast/round_trip.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "src/transfers/fast/chunk_pipeline.hpp"
#include "src/transfers/fast/move_staged.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t least_piece = std::size_t{4} << 20;
constexpr std::size_t least_chunk = std::size_t{512} << 10;

}  // namespace

struct round_trip_pipeline::state {
  transfers::device& device;
  shape pipeline_sizes;
  std::mutex making = {};
  std::optional<detail::chunk_pipeline> direct = {};
  std::optional<detail::chunk_pipeline> staged = {};

  detail::chunk_pipeline& pipeline(bool staging) {
    const std::scoped_lock lock(making);
    auto& pipeline = staging ? staged : direct;
    if (!pipeline && staging)
      pipeline.emplace(device,
                       detail::pipeline_shape{.threads = pipeline_sizes.threads,
                                              .slots = pipeline_sizes.chunks_per_thread,
                                              .streams = pipeline_sizes.threads,
                                              .host_bytes = pipeline_sizes.largest_chunk,
                                              .device_bytes = pipeline_sizes.largest_chunk});
    else if (!pipeline)
      pipeline.emplace(device,
                       detail::pipeline_shape{.threads = 1,
                                              .slots = pipeline_sizes.streams,
                                              .streams = pipeline_sizes.streams,
                                              .device_bytes = pipeline_sizes.largest_piece});
    return *pipeline;
  }
};

round_trip_pipeline::round_trip_pipeline(device& device, const shape& pipeline_sizes)
    : state_(new state{.device = device, .pipeline_sizes = pipeline_sizes}) {
  if (pipeline_sizes.streams == 0 || pipeline_sizes.threads == 0 ||
      pipeline_sizes.chunks_per_thread == 0)
    throw invalid_argument("a round trip needs a stream, a thread and a chunk for it");
  if (pipeline_sizes.largest_piece == 0 || pipeline_sizes.largest_piece % page != 0 ||
      pipeline_sizes.largest_chunk == 0 || pipeline_sizes.largest_chunk % page != 0)
    throw invalid_argument("the largest pieces must be multiples of 4096 bytes");
}

round_trip_pipeline::~round_trip_pipeline() = default;

void round_trip_pipeline::run(std::byte* dst, const std::byte* src, std::size_t bytes,
                              const device_work& work, std::size_t unit, std::size_t piece_bytes) {
  if (bytes == 0) return;
  const bool source_direct = state_->device.copies_directly(src);
  const bool destination_direct = state_->device.copies_directly(dst);
  const bool staging = !source_direct || !destination_direct;
  const auto largest =
      staging ? state_->pipeline_sizes.largest_chunk : state_->pipeline_sizes.largest_piece;
  if (unit == 0 || unit > largest) throw invalid_argument("a piece must hold at least one element");
  if (piece_bytes > largest)
    throw invalid_argument("this pipeline's pieces have at most " + std::to_string(largest) +
                           " bytes");
  detail::chunk_sizes sizes{piece_bytes, piece_bytes, 1, unit};
  // Also whole pages, if such a piece fits.
  const auto pages = std::lcm(unit, page);
  if (piece_bytes == 0)
    sizes = {std::min(staging ? least_chunk : least_piece, largest), largest,
             staging ? state_->pipeline_sizes.threads : state_->pipeline_sizes.streams,
             pages <= largest ? pages : unit};

  detail::chunk_work steps;
  if (!source_direct)
    steps.fill = [&](const detail::chunk& piece) {
      detail::move(piece.on_host, src + piece.offset, piece.bytes, false);
    };
  steps.enqueue = [&](const detail::chunk& piece, stream& stream) {
    stream.copy(piece.on_device, source_direct ? src + piece.offset : piece.on_host, piece.bytes,
                direction::h2d);
    work(stream, piece.on_device, piece.offset, piece.bytes);
    stream.copy(destination_direct ? dst + piece.offset : piece.on_host, piece.on_device,
                piece.bytes, direction::d2h);
  };
  if (!destination_direct)
    steps.drain = [&](const detail::chunk& piece) {
      detail::move(dst + piece.offset, piece.on_host, piece.bytes, true);
    };
  state_->pipeline(staging).run(bytes, sizes, steps);
}

round_trip_pipeline& round_trips(const context& context) {
  return context.slot<round_trip_pipeline>(
      [&context] { return std::make_shared<round_trip_pipeline>(context.device()); });
}

}  // namespace transfers
