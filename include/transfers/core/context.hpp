#pragma once

#include <memory>

#include "transfers/core/device.hpp"
#include "transfers/core/pool.hpp"

namespace transfers {

class round_trip_pipeline;
class staged_copier;

/// Where arrays get their device memory from.
enum class allocation {
  pooled,  ///< from the context's device_pool
  plain,   ///< cudaMalloc and cudaFree each time
};

/// What arrays and launches need to know: a device, the stream that does their work in order, and
/// where memory comes from. A copy means the same context; arrays keep it alive. The device must
/// outlive all of them.
class context {
 public:
  explicit context(transfers::device& on, allocation from = allocation::pooled);
  /// With somebody's stream, which must outlive the context and its arrays.
  context(transfers::device& on, transfers::stream& in, allocation from = allocation::pooled);

  // No moves: what has been moved from keeps its context.
  context(const context&) = default;
  context& operator=(const context&) = default;
  ~context() = default;

  [[nodiscard]] transfers::device& device() const noexcept;
  [[nodiscard]] transfers::stream& stream() const noexcept;

  /// Throws out_of_memory, device_error; std::invalid_argument for zero bytes.
  [[nodiscard]] device_memory allocate(std::size_t bytes) const;

  /// Page-locked memory for data on their way, from a pool. Throws likewise.
  [[nodiscard]] host_memory allocate_staging(std::size_t bytes) const;

  /// Copies after what the context has before it, and returns when the data have arrived. From 4
  /// MiB on, pageable memory is staged by several threads (staged_copier), several times as fast
  /// over PCIe: by a copier of the context's own with settings that are usually good, made when it
  /// is first needed (96 MiB of page-locked memory, and threads that sleep between copies), unless
  /// there are fewer than 4 processors to use, no memory for it, or a device that reaches ordinary
  /// memory itself. Contexts can share one: stage_by(). Throws device_error.
  void copy(std::byte* destination, const std::byte* source, std::size_t bytes,
            direction way) const;

  /// The same, but only enqueued where the data need no staging: source and destination must stay
  /// as they are until the context has been synchronized. Throws device_error.
  void copy_or_enqueue(std::byte* destination, const std::byte* source, std::size_t bytes,
                       direction way) const;

  /// From now on pageable memory is staged by this copier, from the sizes on that it says; by none
  /// at all if it is null. For this context and its copies; not while they are in use.
  void stage_by(std::shared_ptr<staged_copier> copier) const;

  /// Made when it is first needed, with memory and threads of its own (round_trip_pipeline::shape).
  [[nodiscard]] round_trip_pipeline& round_trips() const;

  /// Returns when all work enqueued is done. Throws device_error.
  void synchronize() const { stream().synchronize(); }

  bool operator==(const context&) const = default;

 private:
  /// Whether the copy was one to be staged, and now is done.
  [[nodiscard]] bool copy_staged(std::byte* destination, const std::byte* source, std::size_t bytes,
                                 direction way) const;

  struct state;
  std::shared_ptr<state> state_;
};

/// The first GPU when there is one, otherwise the host.
[[nodiscard]] std::unique_ptr<device> open_default_device();

}  // namespace transfers
