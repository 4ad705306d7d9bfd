#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "src/transfers/fast/divide.hpp"
#include "transfers/core/device.hpp"

namespace transfers::detail {

/// The links between the host and a device: its own, which is link 0, and those of helpers. Data on
/// the link of a helper cross its memory in chunks. Not thread-safe, except enqueue().
class link_set {
 public:
  /// Throws out_of_memory, device_error.
  link_set(device& target, std::span<device* const> helpers);

  [[nodiscard]] std::size_t size() const noexcept { return links_.size(); }

  /// Copies a part by each link, one after the other in memory; 0 bytes: not by that link. Returns
  /// when all have arrived. Throws device_error, after no copy is under way.
  void copy(std::byte* dst, const std::byte* src, std::span<const link_part> parts,
            direction direction);

  /// The same, and returns when each link ended, in seconds since the call: by `clock` until its
  /// part is enqueued, and from then on by the clock of its device. 0 for links without a part.
  [[nodiscard]] std::vector<double> time(std::byte* dst, const std::byte* src,
                                         std::span<const link_part> parts, direction direction,
                                         const std::function<std::chrono::nanoseconds()>& clock);

  /// Copies `bytes`, of a chunk at most, once between the memory of a helper and the target's, and
  /// returns the seconds by the helper's clock. Throws device_error.
  [[nodiscard]] double time_between(std::size_t link, std::byte* on_target, std::size_t bytes,
                                    direction direction);

  /// Enqueues the copy of at most `largest_chunk` bytes by a link, and lets later work of `stream`,
  /// a stream of the target, wait for it. Throws device_error.
  void enqueue(std::size_t link, std::byte* dst, const std::byte* src, std::size_t bytes,
               direction direction, stream& stream);

  /// Throws device_error if work of a helper has failed, which only its own events tell.
  void require_sound() const;

  /// Waits for all that is under way, whether it fails or not.
  void settle() noexcept;

 private:
  /// A stream of a device, and the memory there that its chunks cross; link 0 needs none.
  struct link_lane {
    std::unique_ptr<transfers::stream> work;
    device_memory memory;
    std::unique_ptr<event> end;
  };
  struct used_link {
    std::vector<link_lane> lanes;
    std::size_t next_lane = 0;
    std::mutex enqueuing = {};
  };
  static void enqueue_chunk(link_lane& lane, std::byte* dst, const std::byte* src,
                            std::size_t bytes, direction direction);
  void enqueue_parts(std::byte* dst, const std::byte* src, std::span<const link_part> parts,
                     direction direction);
  [[nodiscard]] std::span<link_lane> lanes_of(std::size_t link, const link_part& part);

  std::vector<std::unique_ptr<used_link>> links_;
};

}  // namespace transfers::detail
