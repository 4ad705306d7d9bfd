#include "src/transfers/fast/link_set.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "transfers/fast/multipath.hpp"

namespace transfers::detail {
namespace {

using seconds = std::chrono::duration<double>;

/// The way through a helper's memory is as long as its last chunk takes on the connection between
/// the devices, and each chunk costs calls: of a small part an eighth.
std::size_t chunk_of(std::size_t part) {
  constexpr std::size_t unit = std::size_t{64} << 10;
  constexpr std::size_t least = 4 * unit;
  constexpr std::size_t chunks = 8;
  const auto rounded = (part / chunks + unit - 1) / unit * unit;
  return std::clamp(rounded, least, multipath_copier::largest_chunk);
}

}  // namespace

link_set::link_set(device& target, std::span<device* const> helpers) {
  const auto add = [this](device& owner, unsigned lanes, std::size_t bytes) {
    auto added = std::make_unique<used_link>();
    for (unsigned i = 0; i < lanes; ++i) {
      link_lane lane{owner.create_stream(), {}, nullptr};
      if (bytes > 0) lane.memory = owner.allocate(bytes);
      lane.end = lane.work->record(event_timing::off);
      added->lanes.push_back(std::move(lane));
    }
    links_.push_back(std::move(added));
  };
  add(target, 1, 0);
  for (auto* const helper : helpers)
    add(*helper, multipath_copier::chunks_of_helper, multipath_copier::largest_chunk);
}

void link_set::copy(std::byte* dst, const std::byte* src, std::span<const std::size_t> sizes,
                    direction direction) {
  const auto parts = parts_of(dst, src, sizes);
  try {
    enqueue_parts(parts, direction);
    join(parts);
  } catch (...) {
    settle();
    throw;
  }
}

/// Returns when all lanes have ended their parts. One stream waits for all others, because a wait
/// of the caller costs more.
void link_set::join(std::span<const copied_part> parts) {
  auto& own = *links_.front()->lanes.front().work;
  for (std::size_t i = 1; i < links_.size(); ++i)
    for (auto& lane : lanes_of(i, parts[i])) {
      lane.work->record_again(*lane.end);
      own.wait(*lane.end);
    }
  own.synchronize();
  require_sound();
}

void link_set::require_sound() const {
  for (std::size_t i = 1; i < links_.size(); ++i)
    for (const auto& lane : links_[i]->lanes) static_cast<void>(lane.end->done());
}

std::vector<double> link_set::time(std::byte* dst, const std::byte* src,
                                   std::span<const std::size_t> sizes, direction direction,
                                   const std::function<std::chrono::nanoseconds()>& clock) {
  const auto parts = parts_of(dst, src, sizes);
  std::vector<double> ends(parts.size());
  try {
    std::vector<std::unique_ptr<event>> starts;
    const auto start = clock();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      starts.push_back(links_[i]->lanes.front().work->record());
      ends[i] = seconds(clock() - start).count();
    }
    enqueue_parts(parts, direction);
    std::vector<std::vector<std::unique_ptr<event>>> of_lanes(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (const auto& lane : lanes_of(i, parts[i])) of_lanes[i].push_back(lane.work->record());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      double longest = 0;
      for (const auto& end : of_lanes[i])
        longest = std::max(longest, seconds(end->time_since(*starts[i])).count());
      ends[i] = of_lanes[i].empty() ? 0 : ends[i] + longest;
    }
  } catch (...) {
    settle();
    throw;
  }
  return ends;
}

void link_set::enqueue(std::size_t index, std::byte* dst, const std::byte* src, std::size_t bytes,
                       direction direction, stream& stream) {
  auto& link = *links_[index];
  const std::scoped_lock lock(link.enqueuing);
  auto& lane = link.lanes[link.next_lane++ % link.lanes.size()];
  enqueue_chunk(lane, {dst, src, bytes, bytes}, 0, direction);
  lane.work->record_again(*lane.end);
  stream.wait(*lane.end);
}

void link_set::settle() noexcept {
  for (const auto& link : links_)
    for (const auto& lane : link->lanes) {
      try {
        lane.work->synchronize();
      } catch (...) {  // NOLINT(bugprone-empty-catch): the caller has a failure to report already
      }
    }
}

std::vector<link_set::copied_part> link_set::parts_of(std::byte* dst, const std::byte* src,
                                                      std::span<const std::size_t> sizes) {
  std::vector<copied_part> parts;
  std::size_t offset = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto bytes = sizes[i];
    // The device's own link needs no chunks.
    parts.push_back({dst + offset, src + offset, bytes,
                     i == 0 ? std::max<std::size_t>(bytes, 1) : chunk_of(bytes)});
    offset += bytes;
  }
  return parts;
}

void link_set::enqueue_parts(std::span<const copied_part> parts, direction direction) {
  std::size_t most = 0;
  for (const auto& part : parts) most = std::max(most, part.chunks());
  // In turn: all links begin at once.
  for (std::size_t chunk = 0; chunk < most; ++chunk)
    for (std::size_t i = 0; i < parts.size(); ++i) {
      auto& lanes = links_[i]->lanes;
      if (chunk < parts[i].chunks())
        enqueue_chunk(lanes[chunk % lanes.size()], parts[i], chunk, direction);
    }
}

void link_set::enqueue_chunk(link_lane& lane, const copied_part& part, std::size_t index,
                             direction direction) {
  const auto offset = index * part.chunk_bytes;
  const auto bytes = std::min(part.chunk_bytes, part.bytes - offset);
  auto* const dst = part.dst + offset;
  const auto* const src = part.src + offset;
  auto* const between = lane.memory.data();
  if (between == nullptr) {
    lane.work->copy(dst, src, bytes, direction);
  } else if (direction == direction::h2d) {
    lane.work->copy(between, src, bytes, direction);
    lane.work->copy_d2d(dst, between, bytes);
  } else {
    lane.work->copy_d2d(between, src, bytes);
    lane.work->copy(dst, between, bytes, direction);
  }
}

/// Those that have chunks of the part.
std::span<link_set::link_lane> link_set::lanes_of(std::size_t index, const copied_part& part) {
  auto& lanes = links_[index]->lanes;
  return std::span(lanes).first(std::min(lanes.size(), part.chunks()));
}

}  // namespace transfers::detail
