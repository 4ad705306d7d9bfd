#include "transfers/fast/round_trip.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "src/transfers/fast/move_in_chunks.hpp"

namespace transfers {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t least_piece = std::size_t{4} << 20;
constexpr std::size_t least_chunk = std::size_t{512} << 10;

}  // namespace

struct round_trip_pipeline::state {
  device& on;
  shape how;
  std::mutex making = {};
  std::optional<detail::chunk_pipeline> direct = {};
  std::optional<detail::chunk_pipeline> staged = {};

  detail::chunk_pipeline& pipeline(bool staging) {
    const std::scoped_lock lock(making);
    auto& wanted = staging ? staged : direct;
    if (!wanted && staging)
      wanted.emplace(on, detail::pipeline_shape{.threads = how.threads,
                                                .slots = how.chunks_per_thread,
                                                .streams = how.threads,
                                                .host_bytes = how.largest_chunk,
                                                .device_bytes = how.largest_chunk});
    else if (!wanted)
      wanted.emplace(on, detail::pipeline_shape{.threads = 1,
                                                .slots = how.streams,
                                                .streams = how.streams,
                                                .device_bytes = how.largest_piece});
    return *wanted;
  }
};

round_trip_pipeline::round_trip_pipeline(device& on, const shape& how)
    : state_(new state{.on = on, .how = how}) {
  if (how.streams == 0 || how.threads == 0 || how.chunks_per_thread == 0)
    throw std::invalid_argument("a round trip needs a stream, a thread and a chunk for it");
  if (how.largest_piece == 0 || how.largest_piece % page != 0 || how.largest_chunk == 0 ||
      how.largest_chunk % page != 0)
    throw std::invalid_argument("the largest pieces must be multiples of 4096 bytes");
}

round_trip_pipeline::~round_trip_pipeline() = default;

void round_trip_pipeline::run(std::byte* destination, const std::byte* source, std::size_t bytes,
                              const device_work& work, std::size_t unit, std::size_t piece_bytes) {
  if (bytes == 0) return;
  const bool source_direct = state_->on.copies_directly(source);
  const bool destination_direct = state_->on.copies_directly(destination);
  const bool staging = !source_direct || !destination_direct;
  const auto largest = staging ? state_->how.largest_chunk : state_->how.largest_piece;
  if (unit == 0 || unit > largest)
    throw std::invalid_argument("a piece must hold at least one element");
  if (piece_bytes > largest)
    throw std::invalid_argument("this pipeline's pieces have at most " + std::to_string(largest) +
                                " bytes");
  detail::chunk_sizes sizes{piece_bytes, piece_bytes, 1, unit};
  // Whole pages, too, where that fits.
  const auto pages = std::lcm(unit, page);
  if (piece_bytes == 0)
    sizes = {std::min(staging ? least_chunk : least_piece, largest), largest,
             staging ? state_->how.threads : state_->how.streams, pages <= largest ? pages : unit};

  detail::chunk_work steps;
  if (!source_direct)
    steps.fill = [&](const detail::chunk& one) {
      detail::move(one.on_host, source + one.offset, one.bytes, false);
    };
  steps.enqueue = [&](const detail::chunk& one, stream& in) {
    in.copy(one.on_device, source_direct ? source + one.offset : one.on_host, one.bytes,
            direction::h2d);
    work(in, one.on_device, one.offset, one.bytes);
    in.copy(destination_direct ? destination + one.offset : one.on_host, one.on_device, one.bytes,
            direction::d2h);
  };
  if (!destination_direct)
    steps.drain = [&](const detail::chunk& one) {
      detail::move(destination + one.offset, one.on_host, one.bytes, true);
    };
  state_->pipeline(staging).run(bytes, sizes, steps);
}

round_trip_pipeline& round_trips(const context& context) {
  return context.slot<round_trip_pipeline>(
      [&context] { return std::make_shared<round_trip_pipeline>(context.device()); });
}

}  // namespace transfers
