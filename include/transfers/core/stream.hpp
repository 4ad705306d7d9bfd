#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>

#include "transfers/core/device_view.hpp"
#include "transfers/core/event.hpp"
#include "transfers/core/operations.hpp"
#include "transfers/core/same_device.hpp"
#include "transfers/core/typed_copy.hpp"

namespace transfers {

/// Runs work in order, asynchronously to the calling thread. Thread-safe: threads may enqueue on
/// one stream, and the order of their work is then up to them; only the recording of a graph needs
/// the stream for itself. The destructor waits for the work, except of an adopted stream
/// (device::adopt_stream). Memory that enqueued work uses must live until that work is done. A
/// function that only enqueues reports errors of earlier work, too: CUDA returns them from any
/// later call.
class stream {
 public:
  virtual ~stream() = default;
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  /// Enqueues a copy (cudaMemcpyAsync). It is asynchronous only for page-locked host memory; the
  /// call may wait for copies from or to pageable memory (CUDA Runtime API, "API synchronization
  /// behavior"). Throws device_error.
  virtual void copy(std::byte* dst, const std::byte* src, std::size_t bytes,
                    direction direction) = 0;

  /// Enqueues a copy of device memory to device memory (cudaMemcpyAsync, cudaMemcpyPeerAsync).
  /// Either end may be memory of another device: such a copy crosses the host unless one device can
  /// access the other (device::access_peer). Throws device_error.
  virtual void copy_d2d(std::byte* dst, const std::byte* src, std::size_t bytes) = 0;

  /// Enqueues a copy of elements: between host memory (contiguous ranges: vectors,
  /// arrays, spans) and device memory (device_view, device_buffer, gpu_array), or from device
  /// memory to device memory. Neither end may change before the copy is done; temporaries that own
  /// their elements do not compile. Throws length_error unless the sizes match, invalid_argument
  /// unless an array at one of the ends belongs to this device, device_error.
  template <class Dst, class Src>
  void copy(Dst&& dst, Src&& src) {
    using request = detail::enqueued_copy<Dst, Src>;
    const request typed(dst, src, identity());
    if (typed.bytes == 0) return;
    if constexpr (!request::to_device)
      copy(typed.dst, typed.src, typed.bytes, direction::d2h);
    else if constexpr (!request::from_device)
      copy(typed.dst, typed.src, typed.bytes, direction::h2d);
    else
      copy_d2d(typed.dst, typed.src, typed.bytes);
  }

  /// No limit on the blocks of copy_by_kernel().
  static constexpr unsigned all_multiprocessors = std::numeric_limits<unsigned>::max();

  /// Enqueues a kernel that copies with coalesced 16-byte accesses (4 bytes or single ones where
  /// the addresses have different misalignments to 16, or to 4). Either address may be the device
  /// address of host memory (host_memory::on_device): that is zero-copy access. The kernel has a
  /// block of 512 threads for each 512 accesses, at most two for each multiprocessor, at most
  /// `most_blocks`, and at least one. It therefore occupies at most `most_blocks` multiprocessors;
  /// a few saturate a link (docs/fast_paths/zero_copy.md). Throws device_error.
  virtual void copy_by_kernel(std::byte* dst, const std::byte* src, std::size_t bytes,
                              unsigned most_blocks) = 0;
  /// Copies by a kernel on all multiprocessors.
  void copy_by_kernel(std::byte* dst, const std::byte* src, std::size_t bytes) {
    copy_by_kernel(dst, src, bytes, all_multiprocessors);
  }
  /// Copies elements by a kernel. Both ends are memory that the device addresses: host memory is
  /// passed by its device address (host_array::on_device). Throws length_error unless the sizes
  /// match, invalid_argument for an array of a device that this one may not access, device_error.
  template <device_elements Dst, device_elements Src>
  void copy_by_kernel(Dst&& dst, Src&& src, unsigned most_blocks = all_multiprocessors) {
    static_assert(detail::outlives_expression<Dst> && detail::outlives_expression<Src>,
                  "the ends of an asynchronous copy must outlive it: they must not be temporaries");
    const detail::typed_copy<Dst, Src> typed(dst, src);
    detail::check_accessible(dst, identity());
    detail::check_accessible(src, identity());
    if (typed.bytes > 0) copy_by_kernel(typed.dst, typed.src, typed.bytes, most_blocks);
  }

  /// Enqueues copies with one call (cudaMemcpyBatchAsync; one by one where the driver or this build
  /// is older than CUDA 12.8), which run in any order: sizes[i] bytes, never 0, from sources[i] to
  /// destinations[i], all in the same direction. Throws invalid_argument for lists of different
  /// lengths, device_error.
  virtual void copy_batch(std::span<std::byte* const> destinations,
                          std::span<const std::byte* const> sources,
                          std::span<const std::size_t> sizes, direction direction) = 0;

  /// Enqueues one kernel that copies pieces of host memory to or from a range of device memory.
  /// The kernel reads the table in place: `table` is the device address of page-locked host memory,
  /// or device memory, aligned to 16 bytes, and must stay unchanged until the kernel has finished.
  /// Throws device_error.
  virtual void copy_pieces(const scattered_piece* table, std::size_t pieces, std::byte* on_device,
                           direction direction) = 0;
  /// The maximum number of blocks in the grid of that kernel; each has 256 threads.
  static constexpr unsigned most_blocks_for_pieces = 128;

  /// Enqueues a copy of rows (cudaMemcpy2DAsync, cudaMemcpy3DAsync). Throws device_error.
  virtual void copy_pitched(pitched<std::byte> dst, pitched<const std::byte> src,
                            pitched_extent extent, direction direction) = 0;

  ///@{
  /// Enqueue work on device memory: fill it with zero bytes or with copies of an element of 1, 2,
  /// 4, 8 or 16 bytes (whose multiple the address is), calculate, convert. Elements are read during
  /// the call. Throw invalid_argument for elements of other sizes, for arithmetic in types that
  /// have none, and for an array of a device that this one may not access; device_error.
  virtual void clear(std::byte* memory, std::size_t bytes) = 0;
  virtual void fill(std::byte* memory, std::span<const std::byte> element,
                    std::size_t elements) = 0;
  virtual void write_sequence(const sequence& sequence) = 0;
  virtual void calculate(const elementwise_operation& operation) = 0;
  virtual void convert(const conversion& conversion) = 0;
  template <device_elements D>
  void clear(D&& memory) {
    const auto view = memory.view();
    static_assert(!std::is_const_v<std::remove_pointer_t<decltype(view.data())>>,
                  "the memory to clear must not be const");
    detail::check_accessible(memory, identity());
    if (view.bytes() > 0) clear(reinterpret_cast<std::byte*>(view.data()), view.bytes());
  }
  ///@}

  /// Returns the result after all work enqueued. Throws invalid_argument for the least or
  /// greatest of no elements, unsupported while the stream records a graph, out_of_memory,
  /// device_error.
  [[nodiscard]] virtual element_value reduce(const reduction& reduction) = 0;

  /// Enqueues a function, which a thread of the library calls. Neither the function nor the
  /// destructors of its captures may use the device (CUDA Runtime API, cudaLaunchHostFunc). The
  /// next synchronize() throws what it throws. Throws device_error.
  virtual void call(std::function<void()> function) = 0;

  /// Records an event after all work enqueued so far. Throws device_error.
  [[nodiscard]] virtual std::unique_ptr<event> record(event_timing timing) = 0;
  /// Records an event with a time.
  [[nodiscard]] std::unique_ptr<event> record() { return record(event_timing::on); }

  /// Records an event of this stream again: it is reached when all work enqueued so far is done.
  /// Nobody may wait for it during the call. Unlike record(), it allocates nothing on CUDA devices.
  /// Throws invalid_argument for events of another kind of device, device_error.
  virtual void record_again(event& recorded) = 0;

  /// Work enqueued later starts only when the event is reached (cudaStreamWaitEvent); the call
  /// returns at once. The event may be one of another stream or of another device of the same kind,
  /// and may be destroyed at once. In work that a graph records, it must be an event of that work.
  /// Throws invalid_argument for events of another kind of device, device_error.
  virtual void wait(const event& event) = 0;

  /// Returns whether the stream records work into a graph instead of running it. Throws
  /// device_error.
  [[nodiscard]] virtual bool is_recording() const = 0;

  /// Records what `work` enqueues on this stream, for a graph, and returns a function that enqueues
  /// it again (see graph, in launch/graph.hpp). A stream without graphs returns `work`. Throws what
  /// `work` throws, unsupported, device_error.
  [[nodiscard]] virtual std::function<void()> record_graph(const std::function<void()>& work) {
    return work;
  }

  /// The device that it belongs to; not known of streams that other programs implement.
  [[nodiscard]] virtual detail::device_identity identity() const noexcept { return {}; }

  /// Returns the cudaStream_t, for the caller's own CUDA code; null for host devices.
  [[nodiscard]] virtual void* native_handle() const noexcept = 0;
  /// Returns the CUcontext of the stream; null for host devices.
  [[nodiscard]] virtual void* native_context() const noexcept = 0;

  /// Returns when all work enqueued is done and its data are usable. Throws device_error.
  virtual void synchronize() = 0;

 protected:
  stream() = default;
};

}  // namespace transfers
