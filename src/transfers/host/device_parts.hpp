#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"
#include "transfers/host/host_device.hpp"

namespace transfers::detail {

/// Counts the unfinished work of all streams of a device.
class outstanding_work {
 public:
  void add() {
    const std::scoped_lock lock(mutex_);
    ++count_;
  }
  void remove() {
    {
      const std::scoped_lock lock(mutex_);
      --count_;
    }
    done_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  std::size_t count_ = 0;
};

/// The blocks and the capacity of a device's memory.
class device_blocks {
 public:
  explicit device_blocks(std::optional<std::size_t> capacity) : capacity_(capacity) {}

  /// Throws out_of_memory.
  void reserve(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (capacity_ && bytes > *capacity_ - used_bytes_)
      throw out_of_memory(fmt::format("{} bytes of device memory: {} of {} are free", bytes,
                                      *capacity_ - used_bytes_, *capacity_));
    used_bytes_ += bytes;
  }
  void release(std::size_t bytes) noexcept {
    const std::scoped_lock lock(mutex_);
    used_bytes_ -= bytes;
  }
  void add(const std::byte* block, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    blocks_.emplace(block, bytes);
  }
  void remove(const std::byte* block) noexcept {
    const std::scoped_lock lock(mutex_);
    blocks_.erase(block);
  }

  [[nodiscard]] std::optional<std::size_t> free_bytes() const {
    const std::scoped_lock lock(mutex_);
    return capacity_ ? std::optional(*capacity_ - used_bytes_) : std::nullopt;
  }

  [[nodiscard]] bool contain(const std::byte* address) const {
    const std::scoped_lock lock(mutex_);
    const auto next = blocks_.upper_bound(address);
    return next != blocks_.begin() && address < std::prev(next)->first + std::prev(next)->second;
  }

 private:
  const std::optional<std::size_t> capacity_;
  mutable std::mutex mutex_;
  std::size_t used_bytes_ = 0;
  std::map<const std::byte*, std::size_t> blocks_;
};

/// State that a device and its streams share.
struct device_parts final : accessors {
  std::shared_ptr<emulated_link> link;  ///< null if there is none
  device_blocks blocks;
  outstanding_work work;
  int index = 0;
  std::chrono::steady_clock::time_point origin = std::chrono::steady_clock::now();

  explicit device_parts(const host_device_options& options)
      : link(options.link), blocks(options.memory_bytes), index(options.index.value_or(0)) {}

  [[nodiscard]] device_identity identity() const noexcept { return {this, "host", index, this}; }

  void let_access(const std::shared_ptr<const device_parts>& accessor) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(accessors_, [](const auto& known) { return known.expired(); });
    accessors_.push_back(accessor);
  }
  [[nodiscard]] bool contain(const void* state) const override {
    const std::scoped_lock lock(mutex_);
    return state != nullptr && std::ranges::any_of(accessors_, [&](const auto& known) {
             return known.lock().get() == state;
           });
  }

 private:
  mutable std::mutex mutex_;
  /// Not their addresses: a later device may have the same.
  std::vector<std::weak_ptr<const device_parts>> accessors_;
};

}  // namespace transfers::detail
