#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "transfers/core/device_view.hpp"

namespace transfers {

/// The method by which host memory is allocated.
enum class host_origin {
  pageable,       ///< ordinary pages; never huge ones from device::allocate_host
  pageable_huge,  ///< ordinary memory, aligned and advised for transparent huge pages
  registered,     ///< ordinary memory, touched, then page-locked (cudaHostRegister)
  /// Huge pages, touched by several threads, then page-locked: the fastest allocation of large
  /// pinned memory (docs/CPU_ACCESS.md). Base pages if there are no huge ones.
  registered_huge,
  pinned,   ///< allocated page-locked (cudaHostAlloc)
  managed,  ///< cudaMallocManaged, advised to stay on the host; CPU accesses migrate it there
};

/// Flags of cudaHostAlloc (CUDA Runtime API, "Memory Management"), combined with `|`.
enum class pin_flags : unsigned { none = 0, portable = 1, mapped = 2, write_combined = 4 };

/// Both sets of flags.
constexpr pin_flags operator|(pin_flags a, pin_flags b) {
  return static_cast<pin_flags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
/// Whether a set has a flag.
constexpr bool has(pin_flags set, pin_flags flag) {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(flag)) != 0;
}

/// One kind of host memory; `flags` is meaningful for pinned memory only.
struct host_memory_kind {
  host_origin origin = host_origin::pageable;  ///< the method
  pin_flags flags = pin_flags::none;           ///< of pinned memory
  /// The NUMA node where all of its pages lie, verified page by page; none: where the memory policy
  /// of the process places them. Pinned memory on a node is registered (cudaHostRegister).
  std::optional<int> node = {};

  auto operator<=>(const host_memory_kind&) const = default;
};

///@{
/// The kind of this origin (see host_origin).
inline constexpr host_memory_kind pageable{host_origin::pageable};
inline constexpr host_memory_kind pageable_huge{host_origin::pageable_huge};
inline constexpr host_memory_kind registered{host_origin::registered};
inline constexpr host_memory_kind registered_huge{host_origin::registered_huge};
inline constexpr host_memory_kind managed{host_origin::managed};
///@}
/// Pinned memory with flags.
constexpr host_memory_kind pinned(pin_flags flags = pin_flags::none) {
  return {host_origin::pinned, flags};
}

/// The same kind of memory on a NUMA node: on_node(pinned(), 1).
constexpr host_memory_kind on_node(host_memory_kind kind, int node) {
  kind.node = node;
  return kind;
}

/// Whether memory of the kind is page-locked: registered, registered_huge or pinned.
constexpr bool is_page_locked(host_memory_kind kind) {
  return kind.origin == host_origin::registered || kind.origin == host_origin::registered_huge ||
         kind.origin == host_origin::pinned;
}

/// All kinds without a node that are the host's own: pageable, pageable_huge, registered,
/// registered_huge, and pinned with every set of flags; not managed memory.
std::span<const host_memory_kind> all_host_memory_kinds();

/// The kind's name in benchmark names, for example "pinned_portable_wc", "pinned@node1".
std::string to_string(host_memory_kind kind);

/// A short description of the kind: "cudaHostAlloc(PORTABLE | WRITECOMBINED)".
std::string describe(host_memory_kind kind);

namespace detail {
/// Returns the address. Throws unsupported if it is null.
std::byte* addressable(std::byte* address_on_device);
}  // namespace detail

/// Owns one block of host memory. Movable, not copyable; destruction does not throw. Like
/// std::unique_ptr, a const owner gives access to bytes that are not const. Blocks are
/// aligned to pages. Blocks that CUDA does not allocate are touched by the allocating thread, so
/// that the default NUMA policy places them next to it; blocks of registered_huge are touched by
/// threads with the affinity of that thread. Any thread may destroy a block, after the work that
/// uses it; blocks of a pinned_pool may be destroyed before. A block may outlive its device.
class host_memory {
 public:
  using deleter = std::function<void(std::byte*)>;  ///< frees the block; must not throw

  host_memory() = default;  ///< no memory
  host_memory(std::unique_ptr<std::byte, deleter> data, std::size_t bytes, host_memory_kind kind,
              std::byte* on_device)
      : data_(std::move(data)), bytes_(bytes), kind_(kind), on_device_(on_device) {}

  [[nodiscard]] std::byte* data() const noexcept TRANSFERS_LIFETIMEBOUND { return data_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }
  /// The kind that it was allocated as.
  [[nodiscard]] host_memory_kind kind() const noexcept { return kind_; }
  [[nodiscard]] std::span<std::byte> bytes() const& noexcept { return {data(), bytes_}; }
  void bytes() const&& = delete;  ///< of a temporary

  /// The device address of the block; null if the device cannot address it. May differ from data()
  /// (cudaHostGetDevicePointer).
  [[nodiscard]] std::byte* on_device() const& noexcept { return on_device_; }
  void on_device() const&& = delete;  ///< of a temporary

  /// As many elements of T as the block holds.
  template <class T>
  [[nodiscard]] std::span<T> elements() const& noexcept {
    return {reinterpret_cast<T*>(data()), bytes_ / sizeof(T)};
  }
  template <class T>
  void elements() const&& = delete;  ///< of a temporary
  /// The same at their device address. Throws unsupported if the device cannot address the block.
  template <class T>
  [[nodiscard]] device_view<T> view() const& {
    return elements_at<T>(detail::addressable(on_device_), bytes_);
  }
  template <class T>
  void view() const&& = delete;  ///< of a temporary

 private:
  std::unique_ptr<std::byte, deleter> data_;
  detail::element_count bytes_{0};
  host_memory_kind kind_;
  std::byte* on_device_ = nullptr;
};

/// Keeps existing memory page-locked. Movable, not copyable; destruction does not throw. The memory
/// must outlive it. Any thread may destroy it, after the work that relies on the lock. It may
/// outlive its device.
class page_lock {
 public:
  using deleter = std::function<void(std::byte*)>;  ///< unlocks; must not throw

  /// For implementations of device::lock.
  page_lock(std::unique_ptr<std::byte, deleter> first, std::size_t bytes, std::byte* on_device)
      : first_(std::move(first)), bytes_(bytes), on_device_(on_device) {}

  [[nodiscard]] std::span<std::byte> bytes() const& noexcept { return {first_.get(), bytes_}; }
  void bytes() const&& = delete;  ///< of a temporary
  /// The device address of the memory; null if the device cannot address it.
  [[nodiscard]] std::byte* on_device() const& noexcept { return on_device_; }
  void on_device() const&& = delete;  ///< of a temporary

  /// As many elements of T as the memory holds, at their device address. Throws unsupported if the
  /// device cannot address the memory.
  template <class T>
  [[nodiscard]] device_view<T> view() const& {
    return elements_at<T>(detail::addressable(on_device_), bytes_);
  }
  template <class T>
  void view() const&& = delete;  ///< of a temporary

 private:
  std::unique_ptr<std::byte, deleter> first_;
  detail::element_count bytes_;
  std::byte* on_device_;
};

}  // namespace transfers
