#pragma once

#include <thrust/mr/disjoint_pool.h>
#include <thrust/mr/new.h>

#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "transfers/core/error.hpp"

// Reuses blocks of memory, whose owners are device_memory or host_memory.
//
// The order of locks: that of suballocator or pinned_pool::state, then that of block_pool, then
// those of devices and streams.

namespace transfers::detail {

/// The upstream resource of Thrust's pool: owners of blocks, by address.
template <class Owner>
class upstream_blocks final : public thrust::mr::memory_resource<void*> {
 public:
  using allocator = std::function<Owner(std::size_t)>;
  explicit upstream_blocks(allocator allocate) : allocate_(std::move(allocate)) {}

  void* do_allocate(std::size_t bytes, std::size_t /*alignment*/) override {
    auto owner = allocate_(bytes);
    auto* const data = owner.data();
    held_ += bytes;
    owners_.emplace(data, std::move(owner));
    return data;
  }

  void do_deallocate(void* data, std::size_t bytes, std::size_t /*alignment*/) override {
    held_ -= bytes;
    owners_.erase(static_cast<std::byte*>(data));
  }

  /// The block that contains an address.
  [[nodiscard]] const Owner& owner_of(std::byte* address) const {
    return std::prev(owners_.upper_bound(address))->second;
  }

  [[nodiscard]] std::size_t held() const { return held_; }

 private:
  allocator allocate_;
  std::map<std::byte*, Owner> owners_;
  std::size_t held_ = 0;
};

/// Of cudaMalloc (CUDA C++ Programming Guide, "Device Memory").
inline constexpr std::size_t block_alignment = 256;

/// Blocks up to this size are allocated many at a time from the device.
inline constexpr std::size_t largest_small_block = std::size_t{64} << 10;

inline thrust::mr::pool_options pooling_of_small_blocks() {
  auto options = thrust::mr::disjoint_unsynchronized_pool_resource<
      thrust::mr::new_delete_resource, thrust::mr::new_delete_resource>::get_default_options();
  options.alignment = block_alignment;
  options.smallest_block_size = block_alignment;
  options.largest_block_size = largest_small_block;
  options.max_bytes_per_chunk = std::size_t{16} << 20;
  return options;
}

/// Small blocks come from Thrust's pool, which can free all of its memory or none. Large blocks are
/// kept one by one and freed when memory runs out. Thread-safe.
template <class Owner>
class block_pool {
 public:
  explicit block_pool(typename upstream_blocks<Owner>::allocator allocate)
      : upstream_(std::move(allocate)),
        small_(&upstream_, &bookkeeping_, pooling_of_small_blocks()) {}

  std::byte* allocate(std::size_t bytes) {
    if (bytes == 0) throw invalid_argument("cannot allocate zero bytes from a pool");
    const std::scoped_lock lock(mutex_);
    auto* const data = allocate_or_give_back(bytes);
    ++in_use_;
    return data;
  }

  /// Without host memory for the lists of idle blocks a large block is freed at once, and a small
  /// block stays unused until release().
  void deallocate(std::byte* data, std::size_t bytes) noexcept {
    const std::scoped_lock lock(mutex_);
    --in_use_;
    const bool is_small = bytes <= largest_small_block;
    try {
      if (is_small)
        small_.do_deallocate(data, bytes, block_alignment);
      else
        idle_.emplace(upstream_.owner_of(data).size(), data);
    } catch (const std::bad_alloc&) {
      if (!is_small)
        upstream_.do_deallocate(data, upstream_.owner_of(data).size(), block_alignment);
    }
  }

  /// Frees all blocks if none is in use; false if one is.
  bool release() {
    const std::scoped_lock lock(mutex_);
    if (in_use_ > 0) return false;
    give_back();
    return true;
  }

  /// Frees idle blocks; false if there are none.
  bool release_idle() {
    const std::scoped_lock lock(mutex_);
    return give_back();
  }

  [[nodiscard]] std::size_t held() const {
    const std::scoped_lock lock(mutex_);
    return upstream_.held();
  }

  /// The owner of the device's block that contains an address.
  [[nodiscard]] const Owner& owner_of(std::byte* address) const {
    const std::scoped_lock lock(mutex_);
    return upstream_.owner_of(address);
  }

 private:
  std::byte* allocate_or_give_back(std::size_t bytes) {
    try {
      return take(bytes);
    } catch (const out_of_memory&) {
      if (!give_back()) throw;
    }
    return take(bytes);
  }

  std::byte* take(std::size_t bytes) {
    if (bytes <= largest_small_block)
      return static_cast<std::byte*>(small_.do_allocate(bytes, block_alignment));
    // An idle block serves requests of at least half its size.
    const auto idle = idle_.lower_bound(bytes);
    if (idle == idle_.end() || idle->first / 2 > bytes)
      return static_cast<std::byte*>(upstream_.do_allocate(bytes, block_alignment));
    auto* const data = idle->second;
    idle_.erase(idle);
    return data;
  }

  bool give_back() {
    const auto before = upstream_.held();
    for (const auto& [bytes, data] : idle_) upstream_.do_deallocate(data, bytes, block_alignment);
    idle_.clear();
    if (in_use_ == 0) small_.release();
    return upstream_.held() < before;
  }

  thrust::mr::new_delete_resource bookkeeping_;
  upstream_blocks<Owner> upstream_;
  thrust::mr::disjoint_unsynchronized_pool_resource<upstream_blocks<Owner>,
                                                    thrust::mr::new_delete_resource>
      small_;
  std::multimap<std::size_t, std::byte*> idle_;  ///< large blocks, by their size
  std::size_t in_use_ = 0;
  mutable std::mutex mutex_;
};

}  // namespace transfers::detail
