#include "src/transfers/fast/link_set.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "transfers/fast/multipath.hpp"

namespace transfers::detail {
namespace {

using seconds = std::chrono::duration<double>;

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

void link_set::copy(std::byte* dst, const std::byte* src, std::span<const link_part> parts,
                    direction direction) {
  try {
    enqueue_parts(dst, src, parts, direction);
    // By a probe on two H100s, waits of the caller take less time than a stream that waits for the
    // event of another device.
    for (std::size_t i = parts.size(); i-- > 0;)
      for (const auto& lane : lanes_of(i, parts[i])) lane.work->synchronize();
  } catch (...) {
    settle();
    throw;
  }
}

void link_set::require_sound() const {
  for (std::size_t i = 1; i < links_.size(); ++i)
    for (const auto& lane : links_[i]->lanes) static_cast<void>(lane.end->done());
}

std::vector<double> link_set::time(std::byte* dst, const std::byte* src,
                                   std::span<const link_part> parts, direction direction,
                                   const std::function<std::chrono::nanoseconds()>& clock) {
  std::vector<double> ends(parts.size());
  try {
    std::vector<std::unique_ptr<event>> starts;
    const auto start = clock();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      starts.push_back(links_[i]->lanes.front().work->record());
      ends[i] = seconds(clock() - start).count();
    }
    enqueue_parts(dst, src, parts, direction);
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

double link_set::time_between(std::size_t link, std::byte* on_target, std::size_t bytes,
                              direction direction) {
  const auto& lane = links_[link]->lanes.front();
  const auto start = lane.work->record();
  auto* const between = lane.memory.data();
  if (direction == direction::h2d)
    lane.work->copy_d2d(on_target, between, bytes);
  else
    lane.work->copy_d2d(between, on_target, bytes);
  const auto end = lane.work->record();
  return seconds(end->time_since(*start)).count();
}

void link_set::enqueue(std::size_t index, std::byte* dst, const std::byte* src, std::size_t bytes,
                       direction direction, stream& stream) {
  auto& link = *links_[index];
  const std::scoped_lock lock(link.enqueuing);
  auto& lane = link.lanes[link.next_lane++ % link.lanes.size()];
  enqueue_chunk(lane, dst, src, bytes, direction);
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

void link_set::enqueue_parts(std::byte* dst, const std::byte* src, std::span<const link_part> parts,
                             direction direction) {
  std::size_t most = 0;
  for (const auto& part : parts) most = std::max(most, part.chunks());
  // In turn: all links begin at once.
  for (std::size_t chunk = 0; chunk < most; ++chunk) {
    std::size_t place = 0;  // of the link's part
    for (std::size_t i = 0; i < parts.size(); place += parts[i].bytes, ++i) {
      if (chunk >= parts[i].chunks()) continue;
      auto& lanes = links_[i]->lanes;
      const auto offset = chunk * parts[i].chunk_bytes;
      enqueue_chunk(lanes[chunk % lanes.size()], dst + place + offset, src + place + offset,
                    std::min(parts[i].chunk_bytes, parts[i].bytes - offset), direction);
    }
  }
}

void link_set::enqueue_chunk(link_lane& lane, std::byte* dst, const std::byte* src,
                             std::size_t bytes, direction direction) {
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
std::span<link_set::link_lane> link_set::lanes_of(std::size_t link, const link_part& part) {
  auto& lanes = links_[link]->lanes;
  return std::span(lanes).first(std::min(lanes.size(), part.chunks()));
}

}  // namespace transfers::detail
