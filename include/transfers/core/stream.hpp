#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "transfers/core/element.hpp"

namespace transfers {

enum class direction { h2d, d2h };

/// The rows of a two- or three-dimensional block in memory: the address of the first byte, and the
/// distances between the beginnings of rows and slices, in bytes.
template <class Byte>
struct pitched {
  Byte* data = nullptr;
  std::size_t row_pitch = 0;
  std::size_t slice_pitch = 0;  ///< a multiple of row_pitch
};

struct pitched_extent {
  std::size_t row_bytes = 0;
  std::size_t rows = 1;
  std::size_t slices = 1;
};

/// The bytes of one value of an element_type with arithmetic.
struct element_value {
  alignas(8) std::array<std::byte, 8> bytes{};
};

/// One side of an elementwise operation: an array in device memory, or one value for all elements.
struct operand {
  enum class kinds { array, value };

  kinds kind = kinds::value;
  const std::byte* array = nullptr;  ///< of kinds::array
  element_value value;               ///< of kinds::value, of the operation's type
};

enum class arithmetic { add, subtract, multiply, divide };

/// result[i] = lhs[i] op rhs[i] for `elements` elements of one type with arithmetic. `result` may
/// be one of the operands. Cases that C++ leaves undefined are defined for all devices: signed
/// integers wrap around, and integer division by zero gives 0, as in NumPy.
struct elementwise_operation {
  arithmetic operation = arithmetic::add;
  element_type type = element_type::float32;
  operand lhs, rhs;
  std::byte* result = nullptr;
  std::size_t elements = 0;
};

/// to[i] = from[i] in another type, rounded as in C++, and to the nearest float16. A floating-point
/// value that does not fit into an integer type becomes the nearest value that does; NaN becomes 0.
struct conversion {
  element_type from_type, to_type;
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::size_t elements = 0;
};

/// result[i] = first + i * step, for a type with arithmetic: calculated and, in double, rounded
/// once in the widened type, and then converted. Integers wrap around.
struct sequence {
  element_type type = element_type::float32;
  element_value first, step;  ///< of the widened type
  std::byte* result = nullptr;
  std::size_t elements = 0;
};

enum class reduction_operation { sum, min, max, dot };

/// The sum, the least or the greatest of all elements, or the sum of all lhs[i] * rhs[i], for a
/// type with arithmetic. Sums and products are calculated and returned in the widened type:
/// integers wrap around, and the order of additions is not specified. The least and the greatest
/// are of the elements' type. The result is NaN if an element is NaN.
struct reduction {
  reduction_operation operation = reduction_operation::sum;
  element_type type = element_type::float32;
  const std::byte* lhs = nullptr;
  const std::byte* rhs = nullptr;  ///< of dot
  std::size_t elements = 0;
};

/// A piece of host memory, by its device address, and the offset of its counterpart in a range of
/// device memory, in bytes.
struct scattered_piece {
  static constexpr std::size_t most_bytes = 4096;

  std::byte* host = nullptr;
  std::uint64_t bytes : 16 = 0;  ///< up to most_bytes
  std::uint64_t offset : 48 = 0;
};
static_assert(sizeof(scattered_piece) == 16, "a kernel reads one with a single access");

/// Marks a point in a stream's work.
class event {
 public:
  virtual ~event() = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;

  /// Returns whether all work before it is done. Throws device_error.
  [[nodiscard]] virtual bool done() const = 0;
  /// Returns when all work before it is done. Throws device_error.
  virtual void wait() const = 0;

 protected:
  event() = default;
};

/// Runs work in order, asynchronously to the calling thread. The destructor waits for it.
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

  /// Enqueues a kernel that copies with coalesced 16-byte accesses (4 bytes or single ones where
  /// the addresses have different misalignments to 16, or to 4). Either address may be the device
  /// address of host memory (host_memory::on_device): that is zero-copy access. The kernel occupies
  /// at most `most_blocks` multiprocessors, at least one; a few saturate a link
  /// (docs/fast_paths/zero_copy.md). Throws device_error.
  virtual void copy_by_kernel(std::byte* dst, const std::byte* src, std::size_t bytes,
                              unsigned most_blocks) = 0;
  /// The same on all multiprocessors.
  void copy_by_kernel(std::byte* dst, const std::byte* src, std::size_t bytes) {
    copy_by_kernel(dst, src, bytes, std::numeric_limits<unsigned>::max());
  }

  /// Enqueues copies with one call (cudaMemcpyBatchAsync), which run in any order: sizes[i] bytes,
  /// never 0, from sources[i] to destinations[i], all in the same direction. Throws
  /// std::invalid_argument for lists of different lengths, device_error.
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

  /// Enqueue work on device memory: fill it with zero bytes or with copies of an element of 1, 2,
  /// 4, 8 or 16 bytes (whose multiple the address is), calculate, convert. Elements are read during
  /// the call. Throw std::invalid_argument for elements of other sizes and for arithmetic in types
  /// that have none, device_error.
  virtual void clear(std::byte* memory, std::size_t bytes) = 0;
  virtual void fill(std::byte* memory, std::span<const std::byte> element,
                    std::size_t elements) = 0;
  virtual void write_sequence(const sequence& sequence) = 0;
  virtual void calculate(const elementwise_operation& operation) = 0;
  virtual void convert(const conversion& conversion) = 0;

  /// Returns the result after all work enqueued. Throws std::invalid_argument for the least or
  /// greatest of no elements, unsupported while the stream records a graph, out_of_memory,
  /// device_error.
  [[nodiscard]] virtual element_value reduce(const reduction& reduction) = 0;

  /// Enqueues a function, which a thread of the library calls. Neither the function nor the
  /// destructors of its captures may use the device (CUDA Runtime API, cudaLaunchHostFunc). The
  /// next synchronize() throws what it throws. Throws device_error.
  virtual void call(std::function<void()> function) = 0;

  /// Records an event after all work enqueued so far. Throws device_error.
  [[nodiscard]] virtual std::unique_ptr<event> record() = 0;

  /// Returns whether the stream records work into a graph instead of running it. Throws
  /// device_error.
  [[nodiscard]] virtual bool is_recording() const = 0;

  /// Records what `work` enqueues on this stream, for a graph, and returns a function that enqueues
  /// it again (see graph, in launch/graph.hpp). A stream without graphs returns `work`. Throws what
  /// `work` throws, unsupported, device_error.
  [[nodiscard]] virtual std::function<void()> record_graph(const std::function<void()>& work) {
    return work;
  }

  /// Returns the cudaStream_t, for the caller's own CUDA code; null for host devices.
  [[nodiscard]] virtual void* native_handle() const noexcept = 0;
  /// Returns the CUcontext of the stream; null for host devices.
  [[nodiscard]] virtual void* native_context() const noexcept = 0;

  /// Returns when all work enqueued is done and its data are usable. Throws device_error.
  virtual void synchronize() = 0;

  /// Measures, by the device's own clock, the time from the end of the work that `before` enqueues
  /// on this stream to the end of the work that `timed` enqueues there; nullopt for a device
  /// without a clock of its own. For CUDA: two events, queued together with all the rest behind a
  /// short delay kernel, so that the host's speed plays no part. The second event itself takes
  /// about a microsecond: subtract the span of an empty `timed`. Throws device_error.
  virtual std::optional<std::chrono::duration<double, std::nano>> span_on_device(
      const std::function<void()>& before, const std::function<void()>& timed) = 0;

 protected:
  stream() = default;
};

}  // namespace transfers
