#pragma once

#include <cstddef>
#include <optional>

#include "src/transfers/fast/chunk_pipeline.hpp"
#include "src/transfers/fast/slot_mover.hpp"
#include "transfers/fast/staged_copy.hpp"

namespace transfers::detail {

/// The threads and the memory of staged copies, which copy engines or a kernel move.
class stager {
 public:
  /// Has a kernel if one of the routes does. Throws as the constructor of staged_copier.
  stager(device& device, const staging& settings);

  /// Returns when the data are usable at `dst`. Calls from several threads take turns. Throws
  /// device_error.
  void copy(const staging::route& route, std::byte* dst, const std::byte* src, std::size_t bytes,
            direction direction);

 private:
  /// False if the kernel is not to move it, or cannot start.
  [[nodiscard]] bool copy_by_kernel(const staging::route& route, std::byte* dst,
                                    const std::byte* src, std::size_t bytes, direction direction);

  chunk_pipeline pipeline_;
  std::optional<slot_mover> mover_;
  unsigned blocks_;
};

}  // namespace transfers::detail
