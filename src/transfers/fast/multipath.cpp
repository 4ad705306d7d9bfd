#include "transfers/fast/multipath.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>

#include "src/transfers/core/locked_range.hpp"
#include "src/transfers/fast/calibrate_multipath.hpp"
#include "src/transfers/fast/divide.hpp"
#include "src/transfers/fast/link_set.hpp"
#include "src/transfers/fast/pageable_links.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

void check(const multipath::route& route, std::size_t links) {
  if (!route.links.empty() && route.links.size() != links)
    throw invalid_argument("a route needs a link for the device and one for each helper in use");
  for (const auto& link : route.links)
    if (!std::isnormal(link.bytes_per_second) || link.bytes_per_second < 0 ||
        !std::isfinite(link.seconds) || link.seconds < 0 ||
        !std::isfinite(link.peer_bytes_per_second) || link.peer_bytes_per_second < 0)
      throw invalid_argument("links need positive rates, and no negative times");
}

std::vector<device*> peers_without(device& target, std::span<device* const> helpers) {
  std::set<const device*> seen{nullptr, &target};
  for (const auto* const helper : helpers)
    if (!seen.insert(helper).second)
      throw invalid_argument("helpers are other devices, each of them once");
  return peers_of(target, helpers);
}

}  // namespace

struct multipath_copier::state {
  state(transfers::device& device, std::span<transfers::device* const> helpers)
      : kept(detail::kept(device)),
        target(*kept),
        peers(peers_without(device, helpers)),
        links(device, peers) {}

  [[nodiscard]] bool divides(bool direct, std::size_t bytes, direction direction) const {
    const auto& route = settings[direction];
    return route.links.size() > 1 &&
           bytes >= (direct ? route.least_bytes : route.least_pageable_bytes);
  }
  /// Of page-locked memory.
  [[nodiscard]] std::vector<detail::link_part> parts_of(std::size_t bytes,
                                                        direction direction) const {
    return divides(true, bytes, direction)
               ? detail::divide(bytes, settings[direction].links, detail::unit_of_parts)
               : detail::for_first_link(bytes, links.size());
  }

  std::shared_ptr<transfers::device> kept;
  transfers::device& target;
  std::vector<transfers::device*> peers;  ///< while it is made
  detail::link_set links;
  detail::pageable_links pageable{target, links};
  multipath settings = {};
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

detail::device_identity multipath_copier::identity() const noexcept {
  return state_->target.identity();
}
std::size_t multipath_copier::links() const noexcept { return state_->links.size(); }
const multipath& multipath_copier::settings() const noexcept { return state_->settings; }

std::size_t multipath_copier::links_of(const std::byte* host, std::size_t bytes,
                                       direction direction) const {
  if (bytes == 0) return 0;
  if (!state_->target.copies_directly(host))
    return state_->divides(false, bytes, direction) ? links() : 1;
  const auto parts = state_->parts_of(bytes, direction);
  return static_cast<std::size_t>(
      std::ranges::count_if(parts, [](const auto& part) { return part.bytes > 0; }));
}

void multipath_copier::copy(std::byte* dst, const std::byte* src, std::size_t bytes,
                            direction direction) {
  if (bytes == 0) return;
  const std::scoped_lock lock(state_->one_at_a_time);
  auto& own = *state_;
  if (own.target.copies_directly(detail::host_end(dst, src, direction)))
    own.links.copy(dst, src, own.parts_of(bytes, direction), direction);
  else if (own.divides(false, bytes, direction))
    own.pageable.copy_by_all(dst, src, bytes, direction, own.settings[direction].links);
  else
    own.pageable.copy_by_own_link(dst, src, bytes, direction);
}

}  // namespace transfers
