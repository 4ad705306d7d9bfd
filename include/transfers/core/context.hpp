#pragma once

#include <functional>
#include <memory>
#include <typeindex>
#include <utility>

#include "transfers/core/device.hpp"
#include "transfers/core/pageable_copier.hpp"
#include "transfers/core/pool.hpp"

namespace transfers {

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

  /// Copies after what the context has before it, and returns when the data have arrived. Pageable
  /// memory is copied by the context's pageable_copier, from the sizes on that it takes; at first
  /// that is the device's (device::make_pageable_copier). Contexts can share one: stage_by().
  /// Throws device_error.
  void copy(std::byte* destination, const std::byte* source, std::size_t bytes,
            direction way) const;

  /// The same, but only enqueued where the data need no staging: source and destination must stay
  /// as they are until the context has been synchronized. Throws device_error.
  void copy_or_enqueue(std::byte* destination, const std::byte* source, std::size_t bytes,
                       direction way) const;

  /// Sets the copier that takes pageable memory, from the sizes on that it says; null: none does.
  /// For this context and its copies; not while they are in use.
  void stage_by(std::shared_ptr<pageable_copier> copier) const;

  /// The object of type T that belongs to the context and its copies, for what is built on
  /// contexts. `make()` returns it as a std::shared_ptr<T> when it is first asked for, and may ask
  /// for slots of other types. The objects go with the context's last copy, the youngest first,
  /// before stream and pools. Any thread may call it; calls take turns. Throws what `make` throws;
  /// the next call tries again.
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

  bool operator==(const context&) const = default;

 private:
  /// Whether the copy was one to be staged, and now is done.
  [[nodiscard]] bool copy_staged(std::byte* destination, const std::byte* source, std::size_t bytes,
                                 direction way) const;

  [[nodiscard]] void* find_or_make_slot(std::type_index type,
                                        const std::function<std::shared_ptr<void>()>& make) const;

  struct state;
  std::shared_ptr<state> state_;
};

/// The first GPU when there is one, otherwise the host.
[[nodiscard]] std::unique_ptr<device> open_default_device();

}  // namespace transfers
