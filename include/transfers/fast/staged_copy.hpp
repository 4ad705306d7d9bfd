#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "transfers/core/device.hpp"
#include "transfers/core/pageable_copier.hpp"
#include "transfers/core/workers.hpp"

namespace transfers {

/// How pageable memory is copied by way of page-locked chunks.
struct staging {
  static constexpr std::size_t never = SIZE_MAX;
  static constexpr std::size_t large = std::size_t{128} << 20;  ///< bytes

  struct way {
    std::size_t least_bytes = std::size_t{4} << 20;    ///< less is left to device::copy; or `never`
    std::size_t least_chunk = std::size_t{512} << 10;  ///< at both ends; more in the middle
    bool streaming_stores = false;                     ///< streaming_store() rather than memcpy
    bool streaming_when_large = false;                 ///< for `large` copies

    [[nodiscard]] bool streams(std::size_t bytes) const {
      return bytes < large ? streaming_stores : streaming_when_large;
    }
  };

  unsigned threads = std::min(6U, usable_processors());  ///< the caller's included
  unsigned chunks_per_thread = 4;                        ///< under way at a time
  std::size_t largest_chunk = std::size_t{4} << 20;      ///< bytes; a multiple of 4 KiB
  way h2d = {.streaming_stores = true};
  way d2h = {.streaming_stores = true, .streaming_when_large = true};

  [[nodiscard]] const way& in(direction which) const { return which == direction::h2d ? h2d : d2h; }
  [[nodiscard]] way& in(direction which) { return which == direction::h2d ? h2d : d2h; }
};

/// Measures what is fastest on this machine, in a second or two: number of threads, size of
/// chunks, kind of stores, and from which size on staging is faster than device::copy (by 5 %),
/// from 64 KiB to 64 MiB; `never` where it is not. Takes 256 MiB of either memory meanwhile. Throws
/// out_of_memory, device_error, std::system_error.
[[nodiscard]] staging calibrate_staging(device& on);

/// Copies between pageable memory and the device nearly as fast as from and to page-locked memory:
/// threads fill or drain page-locked chunks while the device's engines move others. Page-locked
/// memory itself is better given to device::copy (device::copies_directly tells). Threads sleep
/// while there is nothing to copy. The device must outlive it.
class staged_copier final : public pageable_copier {
 public:
  /// As calibrated. Throws what calibrate_staging() throws.
  explicit staged_copier(device& on) : staged_copier(on, calibrate_staging(on)) {}

  /// Takes threads · chunks_per_thread · largest_chunk bytes of page-locked memory. Throws
  /// std::invalid_argument for settings of zero, out_of_memory, device_error, std::system_error.
  staged_copier(device& on, const staging& how);
  ~staged_copier() override;

  /// Returns when the data are usable at the destination. Work on streams is not waited for. Calls
  /// from several threads take turns; the device becomes current for them. Throws device_error, and
  /// out_of_memory when CUDA has none for an event, when all threads have stopped and nothing is
  /// under way any more; the destination's content is undefined then.
  void copy(std::byte* destination, const std::byte* source, std::size_t bytes,
            direction way) override;

  [[nodiscard]] std::size_t least_bytes(direction way) const noexcept override {
    return how().in(way).least_bytes;
  }
  /// True: it has had all that it needs since it was made.
  [[nodiscard]] bool acquire() override { return true; }

  /// Whether a copy of this size is staged, not left to device::copy.
  [[nodiscard]] bool stages(std::size_t bytes, direction way) const noexcept {
    return bytes >= least_bytes(way);
  }
  [[nodiscard]] const staging& how() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace transfers
