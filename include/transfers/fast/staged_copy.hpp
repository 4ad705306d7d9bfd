#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "transfers/core/device.hpp"
#include "transfers/core/pageable_copier.hpp"
#include "transfers/core/workers.hpp"

namespace transfers {

/// How soon a copy follows the one before: that decides whether the threads of a staged copy are
/// still awake.
enum class copy_pace {
  in_row,  ///< at once: within worker_team::usual_look_out
  alone,   ///< later: threads have to wake up
};

/// Settings for copies of pageable memory through page-locked chunks.
struct staging {
  static constexpr std::size_t never = SIZE_MAX;                ///< for route::least_bytes
  static constexpr std::size_t large = std::size_t{128} << 20;  ///< bytes

  /// For one direction.
  struct route {
    std::size_t least_bytes = std::size_t{1} << 20;    ///< cudaMemcpyAsync copies less; or `never`
    std::size_t least_chunk = std::size_t{256} << 10;  ///< of small copies; others have larger ones
    bool streaming_stores = false;                     ///< streaming_store() rather than memcpy
    bool streaming_when_large = false;                 ///< for `large` copies
    std::size_t least_bytes_alone = 0;  ///< for copies that are copy_pace::alone; 0: the same

    /// Whether a copy of this size is staged rather than done by cudaMemcpyAsync.
    [[nodiscard]] bool stages(std::size_t bytes, copy_pace pace) const {
      return bytes >= least(pace);
    }
    /// The smallest copy that is staged.
    [[nodiscard]] std::size_t least(copy_pace pace) const {
      return pace == copy_pace::alone && least_bytes_alone > 0 ? least_bytes_alone : least_bytes;
    }
    /// Whether a copy of this size uses streaming stores.
    [[nodiscard]] bool streams(std::size_t bytes) const {
      return bytes < large ? streaming_stores : streaming_when_large;
    }
  };

  unsigned threads = std::min(12U, usable_processors());  ///< the caller's included
  unsigned chunks = 16;                                   ///< under way at a time
  std::size_t largest_chunk = std::size_t{4} << 20;       ///< bytes; a multiple of 4 KiB
  route h2d = {.streaming_stores = true};                 ///< host to device
  /// Device to host.
  route d2h = {.streaming_stores = true, .streaming_when_large = true};

  [[nodiscard]] const route& operator[](direction direction) const {
    return direction == direction::h2d ? h2d : d2h;
  }
  [[nodiscard]] route& operator[](direction direction) {
    return direction == direction::h2d ? h2d : d2h;
  }
};

/// Measures the fastest settings on this machine, in a second or two: the number of threads, the
/// kind of stores, and the sizes from which staging is faster than cudaMemcpyAsync (by 3 %), from
/// 64 KiB to 64 MiB; `never` if it is not. Temporarily uses 256 MiB of host and of
/// device memory. Throws out_of_memory, device_error, std::system_error.
[[nodiscard]] staging calibrate_staging(device& device);

/// Copies between pageable memory and the device, nearly as fast as for page-locked memory:
/// threads fill or drain a page-locked chunk together while the copy engines move others. Use
/// device::copy for memory that is page-locked (device::copies_directly). The threads sleep between
/// copies.
class staged_copier final : public pageable_copier {
 public:
  /// Uses the settings that calibrate_staging() measures. Throws what that throws.
  explicit staged_copier(device& device) : staged_copier(device, calibrate_staging(device)) {}

  /// Allocates chunks · largest_chunk bytes of page-locked memory. Throws
  /// invalid_argument for settings of zero, out_of_memory, device_error, std::system_error.
  staged_copier(device& device, const staging& settings);
  ~staged_copier() override;

  /// Returns when the data are usable at the destination. Does not wait for work on streams. Calls
  /// from several threads take turns. Small copies are staged if the one before has only just
  /// ended, whether it was staged or not. Throws device_error, and out_of_memory if CUDA has none
  /// for an event, after all threads have stopped and no copy is under way; the destination's
  /// content is then undefined.
  void copy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction) override;
  /// The same for elements, between a contiguous range of host memory and device memory. Throws
  /// length_error unless the sizes match, invalid_argument for an array of another device.
  template <class Dst, class Src>
  void copy(Dst&& dst, Src&& src) {
    using request = detail::finished_copy<Dst, Src>;
    static_assert(!(request::to_device && request::from_device),
                  "a copy between device memory needs no staging: a stream copies it");
    const request typed(dst, src, identity());
    if (typed.bytes > 0)
      copy(typed.dst, typed.src, typed.bytes, request::to_device ? direction::h2d : direction::d2h);
  }

  [[nodiscard]] std::size_t least_bytes(direction direction) const noexcept override {
    const auto& route = settings()[direction];
    return std::min(route.least(copy_pace::in_row), route.least(copy_pace::alone));
  }
  [[nodiscard]] detail::device_identity identity() const noexcept override;
  /// Returns true: the constructor has acquired everything.
  [[nodiscard]] bool acquire() override { return true; }

  /// Returns whether a copy of this size and pace is staged rather than done by cudaMemcpyAsync.
  [[nodiscard]] bool stages(std::size_t bytes, direction direction,
                            copy_pace pace = copy_pace::in_row) const noexcept {
    return settings()[direction].stages(bytes, pace);
  }
  /// The settings it was made with.
  [[nodiscard]] const staging& settings() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace transfers
