#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "src/transfers/fast/chunk_ring.hpp"
#include "src/transfers/fast/link_set.hpp"
#include "transfers/fast/staged_copy.hpp"

namespace transfers::detail {

/// Copies between pageable memory and a device, over its own link or over several. Not thread-safe.
/// The device and the links must outlive it.
class pageable_links {
 public:
  pageable_links(device& target, link_set& links);

  /// As the contexts of the device do (device::copier). Throws device_error, out_of_memory.
  void copy_by_own_link(std::byte* dst, const std::byte* src, std::size_t bytes,
                        direction direction);
  /// Stages the data, and lets their chunks take turns on the links. The first call acquires
  /// threads and page-locked memory, twice as many as one link has. Throws device_error,
  /// out_of_memory, std::system_error, after no copy is under way.
  void copy_by_all(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction,
                   std::span<const multipath::link> rates);

 private:
  transfers::device& target_;
  link_set& links_;
  staging settings_;
  std::unique_ptr<chunk_ring> ring_;
};

}  // namespace transfers::detail
