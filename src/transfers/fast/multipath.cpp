#include "transfers/fast/multipath.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>

#include "src/transfers/core/locked_range.hpp"
#include "src/transfers/fast/calibrate_multipath.hpp"
#include "src/transfers/fast/divide.hpp"
#include "src/transfers/fast/link_set.hpp"
#include "src/transfers/fast/move_staged.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

void check(const multipath::route& route, std::size_t links) {
  if (!route.links.empty() && route.links.size() != links)
    throw invalid_argument("a route needs a link for the device and one for each helper in use");
  for (const auto& link : route.links)
    if (!std::isnormal(link.bytes_per_second) || link.bytes_per_second < 0 ||
        !std::isfinite(link.seconds) || link.seconds < 0)
      throw invalid_argument("links need positive rates, and no negative times");
}

std::vector<device*> peers_without(device& target, std::span<device* const> helpers) {
  std::set<const device*> seen{nullptr, &target};
  for (const auto* const helper : helpers)
    if (!seen.insert(helper).second)
      throw invalid_argument("helpers are other devices, each of them once");
  return peers_of(target, helpers);
}

/// Several links need more threads and chunks than one.
staging staging_for(std::size_t links) {
  staging settings;
  settings.threads =
      static_cast<unsigned>(std::min<std::size_t>(settings.threads * links, usable_processors()));
  settings.chunks *= static_cast<unsigned>(links);
  return settings;
}

}  // namespace

struct multipath_copier::state {
  state(transfers::device& device, std::span<transfers::device* const> helpers)
      : target(device), peers(peers_without(device, helpers)), links(device, peers) {}

  [[nodiscard]] bool divides(std::size_t bytes, direction direction) const {
    const auto& route = settings[direction];
    return route.links.size() > 1 && bytes >= route.least_bytes;
  }
  void copy_staged(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction);
  [[nodiscard]] detail::chunk_ring& staging_ring();

  transfers::device& target;
  std::vector<transfers::device*> peers;
  detail::link_set links;
  multipath settings = {};
  staging staged = staging_for(links.size());
  std::unique_ptr<detail::chunk_ring> ring = nullptr;  ///< from the first pageable copy on
  std::mutex one_at_a_time = {};
};

std::vector<device*> peers_of(device& target, std::span<device* const> helpers) {
  std::vector<device*> peers;
  for (auto* const helper : helpers)
    if (target.access_peer(*helper) && helper->access_peer(target)) peers.push_back(helper);
  return peers;
}

multipath_copier::multipath_copier(device& target, std::span<device* const> helpers)
    : state_(std::make_unique<state>(target, helpers)) {
  state_->settings = calibrate_multipath(target, state_->peers);
}

multipath_copier::multipath_copier(device& target, std::span<device* const> helpers,
                                   const multipath& settings)
    : state_(std::make_unique<state>(target, helpers)) {
  for (const auto to : {direction::h2d, direction::d2h}) check(settings[to], links());
  state_->settings = settings;
}

multipath_copier::~multipath_copier() = default;

std::size_t multipath_copier::links() const noexcept { return state_->links.size(); }
const multipath& multipath_copier::settings() const noexcept { return state_->settings; }

void multipath_copier::copy(std::byte* dst, const std::byte* src, std::size_t bytes,
                            direction direction) {
  if (bytes == 0) return;
  const std::scoped_lock lock(state_->one_at_a_time);
  const auto* const host = detail::host_end(dst, src, direction);
  if (!state_->target.copies_directly(host)) return state_->copy_staged(dst, src, bytes, direction);
  const auto parts =
      state_->divides(bytes, direction)
          ? detail::divide(bytes, state_->settings[direction].links, detail::unit_of_parts)
          : detail::for_first_link(bytes, links());
  state_->links.copy(dst, src, parts, direction);
}

detail::chunk_ring& multipath_copier::state::staging_ring() {
  if (!ring) ring = detail::make_ring(target, staged);
  return *ring;
}

void multipath_copier::state::copy_staged(std::byte* dst, const std::byte* src, std::size_t bytes,
                                          direction direction) {
  if (links.size() == 1 || !staged[direction].stages(bytes, copy_pace::alone))
    return target.copy(dst, src, bytes, direction);
  if (!divides(bytes, direction))
    return detail::move_staged(staging_ring(), staged, dst, src, bytes, direction);
  constexpr std::size_t chunks_until_repeated = 64;
  const auto turns = detail::take_turns(settings[direction].links, chunks_until_repeated);
  try {
    detail::move_staged(staging_ring(), staged, dst, src, bytes, direction,
                        [&](std::size_t index, std::byte* to, const std::byte* from,
                            std::size_t size, transfers::direction way, stream& stream) {
                          links.enqueue(turns[index % turns.size()], to, from, size, way, stream);
                        });
    links.require_sound();
  } catch (...) {
    links.settle();
    throw;
  }
}

}  // namespace transfers
