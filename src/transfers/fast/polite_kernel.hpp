#pragma once

#include <cstddef>

#include "transfers/core/device.hpp"
#include "transfers/fast/polite_copy.hpp"

namespace transfers::detail {

/// The kernels of polite_copier and scattered_copy that spare others, on a CUDA device. The host's
/// end is given by its address in kernels. All throw device_error; in a build without CUDA,
/// unsupported.
class polite_kernels {
 public:
  explicit polite_kernels(device& device);

  /// Enqueues a copy.
  void launch(stream& stream, std::byte* dst, const std::byte* src, std::size_t bytes,
              direction direction, yield_to others) const;
  /// As stream::copy_pieces of at least one piece, by one multiprocessor where that has bulk
  /// copies.
  void launch_pieces(stream& stream, const scattered_piece* table, std::size_t pieces,
                     std::byte* on_device, direction direction) const;
  /// That a copy occupies at most.
  [[nodiscard]] unsigned multiprocessors(direction direction, yield_to others) const;

 private:
  bool in_bulk_ = false;  ///< by cp.async.bulk
};

}  // namespace transfers::detail
