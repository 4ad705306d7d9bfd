#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <typeindex>
#include <utility>

#include "transfers/core/device.hpp"
#include "transfers/core/pageable_copier.hpp"
#include "transfers/core/pool.hpp"

namespace transfers {

/// Where arrays allocate their device memory.
enum class allocation {
  pooled,  ///< from a device_pool that the contexts of the device share
  plain,   ///< cudaMalloc and cudaFree each time
};

/// Groups what arrays and launches need: a device, the stream that runs their work in order, and
/// the pools that their memory comes from. Copies refer to the same context, and arrays and blocks
/// keep it alive, and what it needs of its device. Several threads may enqueue work on one
/// context; the order of their work is then up to them.
class context {
 public:
  /// Throw device_error, out_of_memory; invalid_argument for a stream or a pool of another device.
  explicit context(transfers::device& device, allocation allocation_kind = allocation::pooled);
  /// Uses an existing stream, which must outlive the context and its arrays.
  context(transfers::device& device, transfers::stream& stream,
          allocation allocation_kind = allocation::pooled);
  /// Allocates from a pool that contexts of the same device share.
  context(transfers::device& device, device_pool pool);
  context(transfers::device& device, transfers::stream& stream, device_pool pool);
  /// Owns its device: context gpu(open_default_device()). Throws invalid_argument for null.
  explicit context(std::unique_ptr<transfers::device> device);

  // No moves: what has been moved from keeps its context.
  context(const context&) = default;
  context& operator=(const context&) = default;
  ~context() = default;

  ///@{
  /// Valid as long as the context or a copy of it.
  [[nodiscard]] transfers::device& device() const noexcept TRANSFERS_LIFETIMEBOUND;
  [[nodiscard]] transfers::stream& stream() const noexcept TRANSFERS_LIFETIMEBOUND;
  ///@}

  /// Allocates device memory. Throws out_of_memory, device_error; invalid_argument for zero
  /// bytes.
  [[nodiscard]] device_memory allocate(std::size_t bytes) const;

  /// Allocates page-locked host memory for intermediate copies, from a pool. Throws the same, and
  /// unsupported while the stream records a graph.
  [[nodiscard]] host_memory allocate_staging(std::size_t bytes) const;

  /// Copies after all earlier work of the context, and returns when the data have arrived. The
  /// context's pageable_copier copies pageable memory, from its least_bytes() on; by default it is
  /// that of the device (device::copier), which its contexts share: their copies take turns.
  /// Throws device_error.
  void copy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction) const;

  /// The same for elements: between a contiguous range of host memory and device memory
  /// (device_view, device_buffer, gpu_array), or from device memory to device memory. Waits for the
  /// contexts of arrays and buffers; views have none. Throws length_error unless the sizes match,
  /// invalid_argument unless an array at one of the ends belongs to this device, device_error.
  template <class Dst, class Src>
  void copy(Dst&& dst, Src&& src) const {
    using request = detail::finished_copy<Dst, Src>;
    const request typed(dst, src, device().identity());
    if (typed.bytes == 0) return;
    wait_for_owner(dst);
    wait_for_owner(src);
    if constexpr (request::to_device && request::from_device) {
      stream().copy_d2d(typed.dst, typed.src, typed.bytes);
      synchronize();
    } else {
      copy(typed.dst, typed.src, typed.bytes, request::to_device ? direction::h2d : direction::d2h);
    }
  }

  /// Enqueues a copy. Neither source nor destination may change before the context is synchronized.
  /// The call returns at once for page-locked memory. With pageable memory it returns early only
  /// where CUDA can: a download of 64 KiB or more (cudaMemcpyBatchAsync); an upload returns when
  /// the driver has read the source (CUDA Runtime API, "API synchronization behavior"). Throws
  /// device_error.
  void copy_async(std::byte* dst, const std::byte* src, std::size_t bytes,
                  direction direction) const;

  /// The same for elements, as copy() takes them. Temporaries that own their elements do not
  /// compile. Throws length_error unless the sizes match, device_error.
  template <class Dst, class Src>
  void copy_async(Dst&& dst, Src&& src) const {
    using request = detail::enqueued_copy<Dst, Src>;
    const request typed(dst, src, device().identity());
    if (typed.bytes == 0) return;
    wait_for_owner(dst);
    wait_for_owner(src);
    if constexpr (request::to_device && request::from_device)
      stream().copy_d2d(typed.dst, typed.src, typed.bytes);
    else
      copy_async(typed.dst, typed.src, typed.bytes,
                 request::to_device ? direction::h2d : direction::d2h);
    make_owner_wait(dst);
    make_owner_wait(src);
  }

  /// Work enqueued on this context from now on runs after the work enqueued on `other` so far,
  /// which may use another device. Returns at once. Throws device_error.
  void wait_for(const context& other) const;

  /// The device that allocate() allocates from, and who may access the memory.
  [[nodiscard]] detail::device_identity identity_of_memory() const noexcept;

  /// Waits for the context of an array or buffer, as wait_for() does; nothing else has a context.
  template <class M>
  void wait_for_owner(const M& memory) const {
    if constexpr (requires { memory.context().stream(); }) wait_for(memory.context());
  }

  /// Enqueues the copy where the data need no staging, and otherwise copies as copy() does. Neither
  /// source nor destination may change before the context is synchronized. Throws device_error.
  void copy_or_enqueue(std::byte* dst, const std::byte* src, std::size_t bytes,
                       direction direction) const;
  /// The same for elements, between host and device memory.
  template <class Dst, class Src>
  void copy_or_enqueue(Dst&& dst, Src&& src) const {
    using request = detail::enqueued_copy<Dst, Src>;
    static_assert(!(request::to_device && request::from_device),
                  "a copy between device memory needs no staging: copy_async() enqueues it");
    const request typed(dst, src, device().identity());
    if (typed.bytes > 0)
      copy_or_enqueue(typed.dst, typed.src, typed.bytes,
                      request::to_device ? direction::h2d : direction::d2h);
  }

  /// Sets the copier for pageable memory, for this context and its copies; null: the stream copies
  /// pageable memory, too. Must not be called while they are in use. Throws invalid_argument for a
  /// copier of another device.
  void stage_by(std::shared_ptr<pageable_copier> copier) const;

  /// Returns the object of type T that the context and its copies share, for features that are
  /// built on contexts. The first call makes it: `make()` returns a std::shared_ptr<T>, and may
  /// itself call slot() for other types. The last copy of the context destroys the objects, the
  /// youngest first, before stream and pools. Thread-safe; calls take turns. Throws what `make`
  /// throws; the next call tries again.
  template <class T, class Make>
  [[nodiscard]] T& slot(Make&& make) const {
    const auto make_any = [&make]() -> std::shared_ptr<void> {
      std::shared_ptr<T> object = make();
      return object;
    };
    return *static_cast<T*>(find_or_make_slot(typeid(T), std::cref(make_any)));
  }

  /// Returns when all work enqueued is done. Throws device_error.
  void synchronize() const { stream().synchronize(); }

  /// Whether both refer to the same context.
  bool operator==(const context&) const = default;

 private:
  template <class M>
  void make_owner_wait(const M& memory) const {
    if constexpr (requires { memory.context().stream(); }) memory.context().wait_for(*this);
  }

  /// Copies through the pageable_copier if it takes the copy, and returns whether it did.
  [[nodiscard]] bool copy_staged(std::byte* dst, const std::byte* src, std::size_t bytes,
                                 direction direction) const;

  [[nodiscard]] void* find_or_make_slot(std::type_index type,
                                        const std::function<std::shared_ptr<void>()>& make) const;

  struct state;
  struct parts;
  explicit context(parts&& components);
  static std::optional<device_pool> pool_for(transfers::device& device, allocation kind);
  /// Throws invalid_argument for a pool of another device.
  static device_pool checked(const transfers::device& device, device_pool pool);

  std::shared_ptr<state> state_;
};

/// Opens the first GPU, or the host device if there is none. Throws device_error.
[[nodiscard]] std::unique_ptr<device> open_default_device();

}  // namespace transfers
