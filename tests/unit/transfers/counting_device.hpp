#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "src/transfers/fast/default_copier.hpp"
#include "tests/unit/transfers/forwarding_device.hpp"
#include "transfers/core/error.hpp"

namespace transfers {

/// Counts of the calls of a counting_device and its streams, and the test's settings for them.
struct device_counts {
  std::atomic<std::size_t> device_blocks = 0, device_bytes = 0;  ///< not given back
  std::atomic<std::size_t> host_blocks = 0, host_bytes = 0;      ///< not given back
  std::atomic<std::size_t> device_allocations = 0, host_allocations = 0, operations = 0;
  std::atomic<std::size_t> enqueued = 0, finished = 0;
  std::atomic<std::size_t> address_queries = 0;
  /// Device blocks that were freed while a stream had unfinished work.
  std::atomic<std::size_t> freed_while_busy = 0;

  /// The allocation (of either memory, counted from 1) and the operation of a stream that fail.
  /// Operations that wait fail after the wait, as CUDA's do; others have no effect if they fail.
  std::size_t failing_allocation = 0, failing_operation = 0;
  std::size_t device_capacity = std::numeric_limits<std::size_t>::max();
  std::size_t host_capacity = std::numeric_limits<std::size_t>::max();
  /// Allocates device memory in huge pages, which is faster; freeing it does not wait.
  bool in_huge_pages = false;
  /// Copies stage host memory, as a GPU's driver does with ordinary memory.
  bool stages_copies = false;
  /// Freed blocks stay in memory, as if they leaked.
  bool leaks = false;
  std::vector<std::shared_ptr<void>> leaked;
  /// Replaces the description of the device.
  std::optional<device_description> poses_as;
  /// Added to the time of every operation of a stream.
  std::chrono::microseconds slowed_by{0};
  /// A clock, and the time by which copies of ordinary memory advance it for each MiB.
  std::chrono::nanoseconds clock{0}, copy_time_of_mib{0};
  std::atomic<std::size_t> ordinary_copies = 0;  ///< enqueued, from or to ordinary memory

  [[nodiscard]] bool idle() const { return finished == enqueued; }
  [[nodiscard]] bool nothing_allocated() const {
    return device_blocks == 0 && device_bytes == 0 && host_blocks == 0 && host_bytes == 0;
  }

  void note_locked(const std::byte* memory, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    locked_[memory] = bytes;
  }
  void forget_locked(const std::byte* memory) {
    const std::scoped_lock lock(mutex_);
    locked_.erase(memory);
  }
  void count_copy(const std::byte* host, std::size_t bytes) {
    {
      const std::scoped_lock lock(mutex_);
      const auto next = locked_.upper_bound(host);
      if (next != locked_.begin() && host < std::prev(next)->first + std::prev(next)->second)
        return;
    }
    ++ordinary_copies;
    if (copy_time_of_mib.count() > 0)  // otherwise several threads may copy
      clock += copy_time_of_mib * static_cast<long>(bytes) / (1L << 20U);
  }

  void count_allocation(std::atomic<std::size_t>& allocations) {
    ++allocations;
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

 private:
  std::mutex mutex_;
  std::map<const std::byte*, std::size_t> locked_;  ///< page-locked blocks
};

/// Counts enqueued and finished operations, and fails where the test tells it to.
class counting_stream : public stream {
 public:
  explicit counting_stream(std::unique_ptr<stream> inner, std::shared_ptr<device_counts> counts =
                                                              std::make_shared<device_counts>())
      : inner_(std::move(inner)), counts_(std::move(counts)) {}

  void copy_d2d(std::byte* dst, const std::byte* src, std::size_t bytes) override {
    enqueue([&] { inner_->copy_d2d(dst, src, bytes); });
  }
  void copy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction) override {
    counts_->count_copy(direction == direction::h2d ? src : dst, bytes);
    enqueue([&] { inner_->copy(dst, src, bytes, direction); });
  }
  void copy_by_kernel(std::byte* dst, const std::byte* src, std::size_t bytes,
                      unsigned most_blocks) override {
    enqueue([&] { inner_->copy_by_kernel(dst, src, bytes, most_blocks); });
  }
  void copy_batch(std::span<std::byte* const> dsts, std::span<const std::byte* const> srcs,
                  std::span<const std::size_t> sizes, direction direction) override {
    enqueue([&] { inner_->copy_batch(dsts, srcs, sizes, direction); });
  }
  void copy_pieces(const scattered_piece* table, std::size_t pieces, std::byte* on_device,
                   direction direction) override {
    enqueue([&] { inner_->copy_pieces(table, pieces, on_device, direction); });
  }
  void copy_pitched(pitched<std::byte> dst, pitched<const std::byte> src, pitched_extent extent,
                    direction direction) override {
    enqueue([&] { inner_->copy_pitched(dst, src, extent, direction); });
  }
  void clear(std::byte* memory, std::size_t bytes) override {
    enqueue([&] { inner_->clear(memory, bytes); });
  }
  void fill(std::byte* memory, std::span<const std::byte> element, std::size_t elements) override {
    enqueue([&] { inner_->fill(memory, element, elements); });
  }
  void write_sequence(const sequence& request) override {
    enqueue([&] { inner_->write_sequence(request); });
  }
  [[nodiscard]] element_value reduce(const reduction& request) override {
    counts_->count_operation();
    return inner_->reduce(request);
  }
  void calculate(const elementwise_operation& operation) override {
    enqueue([&] { inner_->calculate(operation); });
  }
  void convert(const conversion& request) override {
    enqueue([&] { inner_->convert(request); });
  }
  void call(std::function<void()> function) override {
    enqueue([&] { inner_->call(std::move(function)); });
  }
  [[nodiscard]] std::unique_ptr<event> record(event_timing timing) override {
    counts_->count_operation();
    return inner_->record(timing);
  }
  void record_again(event& recorded) override {
    counts_->count_operation();
    inner_->record_again(recorded);
  }
  void wait(const event& event) override {
    enqueue([&] { inner_->wait(event); });
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

 private:
  template <class Enqueue>
  void enqueue(Enqueue&& into_inner) {
    counts_->count_operation();
    ++counts_->enqueued;
    if (counts_->slowed_by.count() > 0)
      inner_->call([delay = counts_->slowed_by] { std::this_thread::sleep_for(delay); });
    into_inner();
    inner_->call([counts = counts_] { ++counts->finished; });
  }

  std::unique_ptr<stream> inner_;
  std::shared_ptr<device_counts> counts_;
};

/// A host device with streams of a class that is derived from counting_stream.
template <class Stream>
class device_with final : public forwarding_device {
 public:
  [[nodiscard]] std::unique_ptr<stream> create_stream() override {
    return std::make_unique<Stream>(forwarding_device::create_stream());
  }
};

/// Copies move nothing.
class idle_stream final : public counting_stream {
 public:
  using counting_stream::counting_stream;
  void copy(std::byte* /*dst*/, const std::byte* /*src*/, std::size_t /*bytes*/,
            direction /*direction*/) override {}
};

/// A device that counts allocations and operations, and fails where the test tells it to; by
/// default a host device.
class counting_device final : public forwarding_device {
 public:
  using forwarding_device::forwarding_device;

  [[nodiscard]] device_counts& counts() noexcept { return *counts_; }

  [[nodiscard]] const device_description& description() const noexcept override {
    return counts_->poses_as ? *counts_->poses_as : forwarding_device::description();
  }

  [[nodiscard]] host_memory allocate_host(std::size_t bytes, host_memory_kind kind) override {
    counts_->count_allocation(counts_->host_allocations);
    if (counts_->host_bytes + bytes > counts_->host_capacity)
      throw out_of_memory("so much host memory is refused on purpose");
    auto inner = std::make_shared<host_memory>(forwarding_device::allocate_host(bytes, kind));
    auto* const data = inner->data();
    auto* const on_device = inner->on_device();
    ++counts_->host_blocks;
    counts_->host_bytes += bytes;
    if (is_page_locked(kind)) counts_->note_locked(data, bytes);
    return {{data,
             [inner = std::move(inner), counts = counts_, bytes](std::byte* memory) mutable {
               counts->forget_locked(memory);
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
      return counted(
          std::make_shared<host_memory>(forwarding_device::allocate_host(bytes, pageable_huge)));
    return counted(std::make_shared<device_memory>(forwarding_device::allocate(bytes)));
  }

  [[nodiscard]] bool copies_directly(const std::byte* host) const override {
    return forwarding_device::copies_directly(host) && !counts_->stages_copies;
  }
  [[nodiscard]] std::byte* address_on_device(std::byte* host) const override {
    ++counts_->address_queries;
    return copies_directly(host) ? forwarding_device::address_on_device(host) : nullptr;
  }
  [[nodiscard]] std::shared_ptr<pageable_copier> copier() override {
    if (!copier_) copier_ = detail::make_default_copier(detail::kept(*this));
    return copier_;
  }
  [[nodiscard]] std::unique_ptr<stream> create_stream() override {
    return std::make_unique<counting_stream>(forwarding_device::create_stream(), counts_);
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

  std::shared_ptr<device_counts> counts_ = std::make_shared<device_counts>();
  std::shared_ptr<pageable_copier> copier_;
};

/// Calls `attempt(device)` with a new device, which `open()` gives, whose n-th allocation or
/// operation of a stream fails, for n = 1, 2, …, until it returns true because nothing failed.
/// Returns the number of failures.
enum class failure { allocation, operation };
template <class Attempt>
std::size_t fail_each(failure kind, Attempt&& attempt,
                      std::unique_ptr<device> (*open)() = open_host_device) {
  for (std::size_t n = 1;; ++n) {
    counting_device failing(open());
    auto& counts = failing.counts();
    (kind == failure::allocation ? counts.failing_allocation : counts.failing_operation) = n;
    if (attempt(failing)) return n - 1;
    if (n > 1000) throw std::logic_error("it fails for ever");
  }
}

}  // namespace transfers
