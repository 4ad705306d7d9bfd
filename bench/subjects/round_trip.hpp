#pragma once

#include <cstddef>
#include <functional>

#include "transfers/device.hpp"

namespace bench::subjects {

/// Bytes that go to the device and come back to another place, in page-locked host memory.
struct round_trip {
  const std::byte* from;
  std::byte* on_device;
  std::byte* to;
  std::size_t bytes;
};

/// One replay, enqueued on the stream, of a graph with the two copies. Throws unsupported for
/// devices that are not CUDA's.
std::function<void()> graph_round_trip(const transfers::device& on, transfers::stream& in,
                                       const round_trip& what);

}  // namespace bench::subjects
