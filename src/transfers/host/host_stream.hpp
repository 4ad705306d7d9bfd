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

/// Calls `move`, whose bytes cross the link in both directions at once, if there is one.
template <class Move>
void cross_twice(emulated_link* link, emulated_link::copy_sequence& sequence, std::size_t bytes,
                 Move&& move) {
  if (link == nullptr) return move();
  auto uploads = sequence;
  auto downloads = sequence;
  auto upload = link->begin(uploads, bytes, direction::h2d);
  auto download = link->begin(downloads, bytes, direction::d2h);
  move();
  upload.finish();
  download.finish();
  sequence = emulated_link::later(uploads, downloads);
}

/// A thread that runs enqueued work in order: the host's counterpart of a CUDA stream.
std::unique_ptr<stream> open_host_stream(std::shared_ptr<device_parts> parts);

}  // namespace transfers::detail
