#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <span>

#include "transfers/core/device_view.hpp"
#include "transfers/core/element.hpp"
#include "transfers/core/same_device.hpp"
#include "transfers/core/typed_copy.hpp"

namespace transfers {

/// The direction of a copy: host to device, or device to host.
enum class direction { h2d, d2h };

/// The rows of a two- or three-dimensional block in memory: the address of the first byte, and the
/// distances between the beginnings of rows and slices, in bytes.
template <class Byte>
struct pitched {
  Byte* data = nullptr;
  std::size_t row_pitch = 0;    ///< at least the length of a row
  std::size_t slice_pitch = 0;  ///< a multiple of row_pitch
};

/// The size of a block of rows; bytes of a row are contiguous.
struct pitched_extent {
  std::size_t row_bytes = 0;  ///< length of a row
  std::size_t rows = 1;       ///< of each slice
  std::size_t slices = 1;     ///< 1 for two dimensions
};

/// The bytes of one value of an element_type with arithmetic.
struct element_value {
  alignas(8) std::array<std::byte, 8> bytes{};
};

namespace detail {

/// The bytes of a number.
template <class T>
element_value value_of(T number) {
  element_value result;
  std::memcpy(result.bytes.data(), &number, sizeof number);
  return result;
}

}  // namespace detail

/// One side of an elementwise operation: an array in device memory, or one value for all elements.
struct operand {
  /// What the operand is.
  enum class kinds { array, value };

  kinds kind = kinds::value;         ///< which of the members below counts
  const std::byte* array = nullptr;  ///< of kinds::array
  element_value value;               ///< of kinds::value, of the operation's type
};

/// Operations on two elements.
enum class arithmetic { add, subtract, multiply, divide };

/// result[i] = lhs[i] op rhs[i] for `elements` elements of one type with arithmetic. `result` may
/// be one of the operands. Cases that C++ leaves undefined are defined for all devices: signed
/// integers wrap around, and integer division by zero gives 0, as in NumPy.
struct elementwise_operation {
  arithmetic operation = arithmetic::add;     ///< `op`
  element_type type = element_type::float32;  ///< of operands and result
  /// Left and right operand.
  operand lhs, rhs;
  std::byte* result = nullptr;  ///< device address
  std::size_t elements = 0;     ///< of the result
};

/// to[i] = from[i] in another type, rounded as in C++, and to the nearest float16. A floating-point
/// value that does not fit into an integer type becomes the nearest value that does; NaN becomes 0.
struct conversion {
  /// Types of the source and of the destination.
  element_type from_type, to_type;
  const std::byte* from = nullptr;  ///< device address
  std::byte* to = nullptr;          ///< device address; the two must not overlap
  std::size_t elements = 0;         ///< at either end
};

/// result[i] = first + i * step, for a type with arithmetic: calculated and, in double, rounded
/// once in the widened type, and then converted. Integers wrap around.
struct sequence {
  element_type type = element_type::float32;  ///< of the result
  /// Of the widened type.
  element_value first, step;
  std::byte* result = nullptr;  ///< device address
  std::size_t elements = 0;     ///< of the result
};

/// Operations that make one value of all elements.
enum class reduction_operation { sum, min, max, dot };

/// The sum, the least or the greatest of all elements, or the sum of all lhs[i] * rhs[i], for a
/// type with arithmetic. Sums and products are calculated and returned in the widened type:
/// integers wrap around, and the order of additions is not specified. The least and the greatest
/// are of the elements' type. The result is NaN if an element is NaN.
struct reduction {
  reduction_operation operation = reduction_operation::sum;  ///< how elements are combined
  element_type type = element_type::float32;                 ///< of the elements
  const std::byte* lhs = nullptr;                            ///< device address
  const std::byte* rhs = nullptr;                            ///< device address; only for dot
  std::size_t elements = 0;                                  ///< of each operand
};

/// A piece of host memory, by its device address, and the offset of its counterpart in a range of
/// device memory, in bytes.
struct scattered_piece {
  static constexpr std::size_t most_bytes = 4096;  ///< of one piece

  std::byte* host = nullptr;      ///< device address of host memory
  std::uint64_t bytes : 16 = 0;   ///< up to most_bytes
  std::uint64_t offset : 48 = 0;  ///< in the range of device memory
};
static_assert(sizeof(scattered_piece) == 16, "a kernel reads one with a single access");

/// Whether an event has a time (cudaEventDisableTiming). Events that only order work cost less
/// without.
enum class event_timing { on, off };

/// Marks a point in a stream's work: it is reached when all work before it is done. Thread-safe. It
/// may be destroyed before it is reached, and outlive its stream.
class event {
 public:
  virtual ~event() = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;

  /// Returns whether all work before it is done. Throws device_error.
  [[nodiscard]] virtual bool done() const = 0;
  /// Returns when all work before it is done. Throws device_error.
  virtual void wait() const = 0;

  /// Waits for both events and returns the time between them by the device's clock
  /// (cudaEventElapsedTime, with a resolution of about 0.5 µs). A host device has the host's
  /// steady clock, or the time of its emulated link, which late threads do not affect. Throws
  /// invalid_argument if the events belong to different devices or one has no time,
  /// device_error.
  [[nodiscard]] virtual std::chrono::duration<double, std::nano> time_since(
      const event& earlier) const = 0;

 protected:
  event() = default;
};

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

  /// The same copies of elements: between host memory (contiguous ranges: vectors, arrays, spans)
  /// and device memory (device_view, device_buffer, gpu_array), or from device memory to device
  /// memory. Neither end may change before the copy is done; temporaries that own their elements
  /// do not compile. Throws length_error unless the sizes match, invalid_argument unless an array
  /// at one of the ends belongs to this device, device_error.
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

  /// Enqueues a kernel that copies with coalesced 16-byte accesses (4 bytes or single ones where
  /// the addresses have different misalignments to 16, or to 4). Either address may be the device
  /// address of host memory (host_memory::on_device): that is zero-copy access. The kernel has a
  /// block of 512 threads for each 512 accesses, at most two for each multiprocessor, at most
  /// `most_blocks`, and at least one. It therefore occupies at most `most_blocks` multiprocessors;
  /// a few saturate a link (docs/fast_paths/zero_copy.md). Throws device_error.
  virtual void copy_by_kernel(std::byte* dst, const std::byte* src, std::size_t bytes,
                              unsigned most_blocks) = 0;
  /// The same on all multiprocessors.
  void copy_by_kernel(std::byte* dst, const std::byte* src, std::size_t bytes) {
    copy_by_kernel(dst, src, bytes, all_multiprocessors);
  }
  /// The same for elements. Both ends are memory that the device addresses: host memory is passed
  /// by its device address (host_array::on_device). Throws length_error unless the sizes match,
  /// invalid_argument for an array of a device that this one may not access, device_error.
  template <device_elements Dst, device_elements Src>
  void copy_by_kernel(Dst&& dst, Src&& src, unsigned most_blocks = all_multiprocessors) {
    static_assert(detail::outlives_expression<Dst> && detail::outlives_expression<Src>,
                  "the ends of an asynchronous copy must outlive it: they must not be temporaries");
    const detail::typed_copy<Dst, Src> typed(dst, src);
    detail::check_accessible(dst, identity());
    detail::check_accessible(src, identity());
    if (typed.bytes > 0) copy_by_kernel(typed.dst, typed.src, typed.bytes, most_blocks);
  }
  /// No limit on the blocks of copy_by_kernel().
  static constexpr unsigned all_multiprocessors = std::numeric_limits<unsigned>::max();

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
  template <device_elements D>
  void clear(D&& memory) {
    const auto view = memory.view();
    static_assert(!std::is_const_v<std::remove_pointer_t<decltype(view.data())>>,
                  "the memory to clear must not be const");
    detail::check_accessible(memory, identity());
    if (view.bytes() > 0) clear(reinterpret_cast<std::byte*>(view.data()), view.bytes());
  }
  virtual void calculate(const elementwise_operation& operation) = 0;
  virtual void convert(const conversion& conversion) = 0;
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
  /// The same with a time.
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
