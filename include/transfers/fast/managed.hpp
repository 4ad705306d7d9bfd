#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "transfers/core/device.hpp"

namespace transfers {

/// The location of pages of managed memory.
enum class residence { host, device };

/// Returns why the device has no managed memory whose pages migrate one by one; nullopt if it has.
[[nodiscard]] std::optional<std::string> why_no_managed_memory(const device& device);

/// Memory at the same address for CPU and kernels, whose pages move to where they are touched or
/// sent (CUDA C++ Programming Guide, "Unified Memory Programming"). Movable, not copyable;
/// destruction does not throw, and must follow the work that uses the memory. Without advice:
/// compare host_memory_kind `managed`, which prefers the host. Threads may share it as they may
/// share a std::vector. It may outlive the device object.
class managed_memory {
 public:
  /// Throws invalid_argument for no bytes, unsupported where why_no_managed_memory says so,
  /// out_of_memory, device_error.
  managed_memory(device& device, std::size_t bytes);

  [[nodiscard]] std::byte* data() const noexcept TRANSFERS_LIFETIMEBOUND { return data_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }
  [[nodiscard]] std::span<std::byte> bytes() const& noexcept { return {data(), bytes_}; }
  void bytes() const&& = delete;  ///< of a temporary

  /// As many elements of T as the memory holds.
  template <class T>
  [[nodiscard]] std::span<T> elements() const& noexcept {
    return {reinterpret_cast<T*>(data()), bytes_ / sizeof(T)};
  }
  template <class T>
  void elements() const&& = delete;  ///< of a temporary
  /// The same elements for kernels and copies.
  template <class T>
  [[nodiscard]] device_view<T> view() const& noexcept {
    return elements_at<T>(data(), bytes_);
  }
  template <class T>
  void view() const&& = delete;  ///< of a temporary

  /// Enqueues the migration of all pages that are not there already (cudaMemPrefetchAsync). They
  /// have arrived when the stream has finished it. Throws device_error.
  void prefetch(stream& stream, residence target) const;

  /// Returns where all pages were prefetched to last; nullopt if they were not. They need not have
  /// arrived, and may have been touched elsewhere since (CUDA Runtime API,
  /// cudaMemRangeGetAttribute). Throws device_error.
  [[nodiscard]] std::optional<residence> prefetched_to() const;

 private:
  std::unique_ptr<std::byte, std::function<void(std::byte*)>> data_;
  std::size_t bytes_;
  int device_index_ = 0;
  void* context_ = nullptr;  ///< the CUcontext that it belongs to
};

}  // namespace transfers
