#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "src/transfers/fast/default_copier.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"

namespace transfers {

/// What a counting_device and its streams have done, and what they are told to refuse.
struct device_counts {
  std::atomic<std::size_t> device_blocks = 0, device_bytes = 0;  ///< not given back
  std::atomic<std::size_t> host_blocks = 0, host_bytes = 0;      ///< likewise
  std::atomic<std::size_t> device_allocations = 0, host_allocations = 0, operations = 0;
  std::atomic<std::size_t> enqueued = 0, finished = 0;
  std::atomic<std::size_t> addresses_asked_for = 0;
  /// Device blocks given back while a stream had work before it.
  std::atomic<std::size_t> freed_while_busy = 0;

  /// The allocation (of either memory, counted from 1) and the operation of a stream that fail.
  /// Operations that wait fail when they have waited, as CUDA's do; others do nothing then.
  std::size_t failing_allocation = 0, failing_operation = 0;
  std::size_t device_capacity = std::numeric_limits<std::size_t>::max();
  std::size_t host_capacity = std::numeric_limits<std::size_t>::max();
  /// Device memory comes into being faster; freeing it does not wait.
  bool in_huge_pages = false;
  /// As a GPU does with ordinary memory.
  bool stages_copies = false;
  /// Blocks given back stay in memory all the same, as a leak would have it.
  bool leaks = false;
  std::vector<std::shared_ptr<void>> leaked;
  /// What it says that it is, instead of the host.
  std::optional<device_description> poses_as;
  /// What every operation of a stream takes longer.
  std::chrono::microseconds slowed_by{0};
  /// A clock of its own, which the device's own copies move on by so much for each MiB, as a
  /// driver's of ordinary memory take time.
  std::chrono::nanoseconds clock{0}, copy_time_of_mib{0};

  [[nodiscard]] bool idle() const { return finished == enqueued; }
  [[nodiscard]] bool nothing_allocated() const {
    return device_blocks == 0 && device_bytes == 0 && host_blocks == 0 && host_bytes == 0;
  }

  void count_allocation(std::atomic<std::size_t>& one_kind) {
    ++one_kind;
    if (device_allocations + host_allocations == failing_allocation)
      throw out_of_memory("this allocation fails on purpose");
  }
  void give_back(std::shared_ptr<void> block) {
    if (leaks) leaked.push_back(std::move(block));
  }
  void count_operation() {
    if (++operations == failing_operation)
      throw device_error("this operation fails on purpose", false);
  }
};

/// Counts what is enqueued and done; fails where it is told to.
class counting_stream final : public stream {
 public:
  counting_stream(std::unique_ptr<stream> inner, std::shared_ptr<device_counts> counts)
      : inner_(std::move(inner)), counts_(std::move(counts)) {}

  void copy(std::byte* destination, const std::byte* source, std::size_t bytes,
            direction way) override {
    enqueue([&] { inner_->copy(destination, source, bytes, way); });
  }
  void copy_by_kernel(std::byte* destination, const std::byte* source, std::size_t bytes,
                      unsigned most_blocks) override {
    enqueue([&] { inner_->copy_by_kernel(destination, source, bytes, most_blocks); });
  }
  void copy_batch(std::span<std::byte* const> destinations,
                  std::span<const std::byte* const> sources, std::span<const std::size_t> sizes,
                  direction way) override {
    enqueue([&] { inner_->copy_batch(destinations, sources, sizes, way); });
  }
  void copy_pieces(const scattered_piece* table, std::size_t pieces, std::byte* on_device,
                   direction way) override {
    enqueue([&] { inner_->copy_pieces(table, pieces, on_device, way); });
  }
  void copy_pitched(pitched<std::byte> destination, pitched<const std::byte> source,
                    pitched_extent extent, direction way) override {
    enqueue([&] { inner_->copy_pitched(destination, source, extent, way); });
  }
  void clear(std::byte* memory, std::size_t bytes) override {
    enqueue([&] { inner_->clear(memory, bytes); });
  }
  void calculate(const elementwise_operation& what) override {
    enqueue([&] { inner_->calculate(what); });
  }
  void convert(const conversion& what) override {
    enqueue([&] { inner_->convert(what); });
  }
  void call(std::function<void()> function) override {
    enqueue([&] { inner_->call(std::move(function)); });
  }
  [[nodiscard]] std::unique_ptr<event> record() override {
    counts_->count_operation();
    return inner_->record();
  }
  [[nodiscard]] bool is_recording() const override { return inner_->is_recording(); }
  [[nodiscard]] std::function<void()> record_graph(const std::function<void()>& work) override {
    return inner_->record_graph(work);
  }
  [[nodiscard]] void* native_handle() const noexcept override { return inner_->native_handle(); }
  [[nodiscard]] void* native_context() const noexcept override { return inner_->native_context(); }
  void synchronize() override {
    inner_->synchronize();
    counts_->count_operation();
  }
  std::optional<std::chrono::duration<double, std::nano>> span_on_device(
      const std::function<void()>& before, const std::function<void()>& timed) override {
    return inner_->span_on_device(before, timed);
  }

 private:
  template <class Enqueue>
  void enqueue(Enqueue&& into_inner) {
    counts_->count_operation();
    ++counts_->enqueued;
    if (counts_->slowed_by.count() > 0)
      inner_->call([by = counts_->slowed_by] { std::this_thread::sleep_for(by); });
    into_inner();
    inner_->call([counts = counts_] { ++counts->finished; });
  }

  std::unique_ptr<stream> inner_;
  std::shared_ptr<device_counts> counts_;
};

/// A device, the host unless told otherwise, with counts of what has been allocated there and not
/// given back.
class counting_device final : public device {
 public:
  explicit counting_device(std::unique_ptr<device> inner = open_host_device())
      : inner_(std::move(inner)) {}

  [[nodiscard]] device_counts& counts() noexcept { return *counts_; }

  [[nodiscard]] const device_description& description() const noexcept override {
    return counts_->poses_as ? *counts_->poses_as : inner_->description();
  }
  [[nodiscard]] std::optional<std::string> why_unsupported(host_memory_kind kind) const override {
    return inner_->why_unsupported(kind);
  }

  [[nodiscard]] host_memory allocate_host(std::size_t bytes, host_memory_kind kind) override {
    counts_->count_allocation(counts_->host_allocations);
    if (counts_->host_bytes + bytes > counts_->host_capacity)
      throw out_of_memory("so much host memory is refused on purpose");
    auto inner = std::make_shared<host_memory>(inner_->allocate_host(bytes, kind));
    auto* const data = inner->data();
    auto* const on_device = inner->on_device();
    ++counts_->host_blocks;
    counts_->host_bytes += bytes;
    return {{data,
             [inner = std::move(inner), counts = counts_, bytes](std::byte*) mutable {
               counts->give_back(std::move(inner));
               --counts->host_blocks;
               counts->host_bytes -= bytes;
             }},
            bytes,
            kind,
            on_device};
  }

  [[nodiscard]] device_memory allocate(std::size_t bytes) override {
    counts_->count_allocation(counts_->device_allocations);
    if (counts_->device_bytes + bytes > counts_->device_capacity)
      throw out_of_memory("so much device memory is refused on purpose");
    if (counts_->in_huge_pages)
      return counted(std::make_shared<host_memory>(inner_->allocate_host(bytes, pageable_huge)));
    return counted(std::make_shared<device_memory>(inner_->allocate(bytes)));
  }

  [[nodiscard]] page_lock lock(std::span<std::byte> memory) override {
    return inner_->lock(memory);
  }
  [[nodiscard]] bool copies_directly(const std::byte* host) const override {
    return inner_->copies_directly(host) && !counts_->stages_copies;
  }
  [[nodiscard]] std::byte* address_on_device(std::byte* host) const override {
    ++counts_->addresses_asked_for;
    return copies_directly(host) ? inner_->address_on_device(host) : nullptr;
  }
  [[nodiscard]] std::size_t free_memory() const override { return inner_->free_memory(); }
  void copy(std::byte* destination, const std::byte* source, std::size_t bytes,
            direction way) override {
    counts_->clock += counts_->copy_time_of_mib * static_cast<long>(bytes) / (1L << 20U);
    inner_->copy(destination, source, bytes, way);
  }
  [[nodiscard]] std::shared_ptr<pageable_copier> make_pageable_copier() override {
    return detail::make_default_copier(*this);
  }
  [[nodiscard]] std::unique_ptr<stream> create_stream() override {
    return std::make_unique<counting_stream>(inner_->create_stream(), counts_);
  }
  void synchronize() override { inner_->synchronize(); }
  [[nodiscard]] std::shared_ptr<const void> make_current() override {
    return inner_->make_current();
  }
  void write_pattern(std::byte* block, std::size_t offset, std::size_t bytes,
                     pattern what) override {
    inner_->write_pattern(block, offset, bytes, what);
  }
  [[nodiscard]] pattern_check check_pattern(const std::byte* block, std::size_t offset,
                                            std::size_t bytes, pattern what) override {
    return inner_->check_pattern(block, offset, bytes, what);
  }

 private:
  template <class Memory>
  device_memory counted(std::shared_ptr<Memory> inner) {
    auto* const data = inner->data();
    const auto bytes = inner->size();
    ++counts_->device_blocks;
    counts_->device_bytes += bytes;
    return {{data,
             [inner = std::move(inner), counts = counts_, bytes](std::byte*) mutable {
               if (!counts->idle()) ++counts->freed_while_busy;
               counts->give_back(std::move(inner));
               --counts->device_blocks;
               counts->device_bytes -= bytes;
             }},
            bytes};
  }

  std::unique_ptr<device> inner_;
  std::shared_ptr<device_counts> counts_ = std::make_shared<device_counts>();
};

/// Calls `attempt(device, n)` with a new device whose n-th allocation or operation of a stream
/// fails, for n = 1, 2, …, until it says that nothing failed. Returns how often something did.
enum class failure { allocation, operation };
template <class Attempt>
std::size_t fail_each(failure what, Attempt&& attempt) {
  for (std::size_t n = 1;; ++n) {
    counting_device on;
    (what == failure::allocation ? on.counts().failing_allocation : on.counts().failing_operation) =
        n;
    if (attempt(on)) return n - 1;
    if (n > 1000) throw std::logic_error("it fails for ever");
  }
}

}  // namespace transfers
