#pragma once

#include <cstddef>

#include "transfers/core/stream.hpp"

namespace transfers {

/// Copies pageable memory instead of the device's own copies. A context uses one
/// (context::stage_by); staged_copier implements it. Implementations are thread-safe, since
/// contexts may share one.
class pageable_copier {
 public:
  virtual ~pageable_copier() = default;
  pageable_copier(const pageable_copier&) = delete;
  pageable_copier& operator=(const pageable_copier&) = delete;

  /// The smallest copy that it takes, in bytes; SIZE_MAX if it takes none.
  [[nodiscard]] virtual std::size_t least_bytes(direction direction) const noexcept = 0;

  /// Acquires the resources of copy(), unless it has them. Returns false if they are not available;
  /// the device then copies itself. Throws device_error if the device is lost.
  [[nodiscard]] virtual bool acquire() = 0;

  /// Returns when the data are usable at `dst`. Does not wait for work on streams. Requires
  /// acquire(). Any thread may call it. Throws device_error, out_of_memory.
  virtual void copy(std::byte* dst, const std::byte* src, std::size_t bytes,
                    direction direction) = 0;

  /// The device that it copies for; not known of copiers that other programs implement.
  [[nodiscard]] virtual detail::device_identity identity() const noexcept { return {}; }

 protected:
  pageable_copier() = default;
};

}  // namespace transfers
