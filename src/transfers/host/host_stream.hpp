#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "src/transfers/host/device_parts.hpp"

namespace transfers::detail {

/// Calls `move`, whose bytes cross the link, if there is one.
template <class Move>
void cross(emulated_link* link, emulated_link::copy_sequence& sequence, std::size_t bytes,
           direction direction, Move&& move) {
  if (link == nullptr) return move();
  auto crossing = link->begin(sequence, bytes, direction);
  move();
  crossing.finish();
}

/// A thread that runs enqueued work in order: the host's counterpart of a CUDA stream.
std::unique_ptr<stream> open_host_stream(std::shared_ptr<device_parts> parts);

}  // namespace transfers::detail
