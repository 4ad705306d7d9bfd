#include "transfers/core/pool.hpp"

#include <thrust/mr/disjoint_pool.h>
#include <thrust/mr/new.h>

#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "transfers/core/error.hpp"

namespace transfers {
namespace {

/// The upstream resource of Thrust's pool: owners of blocks, by address.
template <class Owner>
class upstream final : public thrust::mr::memory_resource<void*> {
 public:
  using allocator = std::function<Owner(std::size_t)>;
  explicit upstream(allocator allocate) : allocate_(std::move(allocate)) {}

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

constexpr std::size_t alignment =
    256;  // of cudaMalloc (CUDA C++ Programming Guide, "Device Memory")

/// Blocks up to this size are allocated many at a time from the device.
constexpr std::size_t largest_small = std::size_t{64} << 10;

thrust::mr::pool_options pooling() {
  auto options = thrust::mr::disjoint_unsynchronized_pool_resource<
      thrust::mr::new_delete_resource, thrust::mr::new_delete_resource>::get_default_options();
  options.alignment = alignment;
  options.smallest_block_size = alignment;
  options.largest_block_size = largest_small;
  options.max_bytes_per_chunk = std::size_t{16} << 20;
  return options;
}

/// Small blocks come from Thrust's pool, which can free all of its memory or none. Large blocks are
/// kept one by one and freed when memory runs out.
template <class Owner>
class pool {
 public:
  explicit pool(typename upstream<Owner>::allocator allocate)
      : upstream_(std::move(allocate)), small_(&upstream_, &bookkeeping_, pooling()) {}

  std::byte* allocate(std::size_t bytes) {
    if (bytes == 0) throw invalid_argument("cannot allocate zero bytes from a pool");
    const std::scoped_lock lock(mutex_);
    auto* const data = allocate_or_give_back(bytes);
    ++in_use_;
    return data;
  }

  void deallocate(std::byte* data, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (bytes <= largest_small)
      small_.do_deallocate(data, bytes, alignment);
    else
      idle_.emplace(upstream_.owner_of(data).size(), data);
    --in_use_;
  }

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
    if (bytes <= largest_small)
      return static_cast<std::byte*>(small_.do_allocate(bytes, alignment));
    // An idle block serves requests of at least half its size.
    const auto idle = idle_.lower_bound(bytes);
    if (idle == idle_.end() || idle->first / 2 > bytes)
      return static_cast<std::byte*>(upstream_.do_allocate(bytes, alignment));
    auto* const data = idle->second;
    idle_.erase(idle);
    return data;
  }

  /// Frees idle blocks; false if there are none.
  bool give_back() {
    const auto before = upstream_.held();
    for (const auto& [bytes, data] : idle_) upstream_.do_deallocate(data, bytes, alignment);
    idle_.clear();
    if (in_use_ == 0) small_.release();
    return upstream_.held() < before;
  }

  thrust::mr::new_delete_resource bookkeeping_;
  upstream<Owner> upstream_;
  thrust::mr::disjoint_unsynchronized_pool_resource<upstream<Owner>,
                                                    thrust::mr::new_delete_resource>
      small_;
  std::multimap<std::size_t, std::byte*> idle_;  ///< large blocks, by their size
  std::size_t in_use_ = 0;
  mutable std::mutex mutex_;
};

/// Pools of Thrust, one for each stream: a block is used again by the stream that freed it, whose
/// work runs in order. A new stream at the address of an old one inherits its blocks, because
/// streams finish their work before they end.
class suballocator final : public detail::pool_body {
 public:
  explicit suballocator(device& device) : device_(detail::kept(device)) {}

  [[nodiscard]] detail::device_identity identity() const noexcept override {
    return device_->identity();
  }

  [[nodiscard]] std::byte* allocate(std::size_t bytes, stream& stream) override {
    auto& blocks = blocks_of(stream);
    try {
      return blocks.allocate(bytes);
    } catch (const out_of_memory&) {
      if (!release_idle()) throw;
    }
    return blocks.allocate(bytes);
  }

  void deallocate(std::byte* block, std::size_t bytes, stream& stream) noexcept override {
    blocks_of(stream).deallocate(block, bytes);
  }

  [[nodiscard]] std::size_t held_bytes() const override {
    const std::scoped_lock lock(mutex_);
    std::size_t bytes = 0;
    for (const auto& [stream, blocks] : pools_) bytes += blocks.held();
    return bytes;
  }

  bool release() override {
    const std::scoped_lock lock(mutex_);
    bool all = true;
    for (auto& [stream, blocks] : pools_) all = blocks.release() && all;
    return all;
  }

 private:
  pool<device_memory>& blocks_of(stream& stream) {
    const std::scoped_lock lock(mutex_);
    return pools_
        .try_emplace(&stream, [this](std::size_t bytes) { return device_->allocate(bytes); })
        .first->second;
  }

  /// Of all streams. device::allocate frees blocks only when no work uses them.
  bool release_idle() {
    const std::scoped_lock lock(mutex_);
    bool any = false;
    for (auto& [stream, blocks] : pools_) any = blocks.release_idle() || any;
    return any;
  }

  const std::shared_ptr<device> device_;
  mutable std::mutex mutex_;
  std::map<const stream*, pool<device_memory>> pools_;
};

}  // namespace

std::shared_ptr<detail::pool_body> detail::make_suballocator(device& device) {
  return std::make_shared<suballocator>(device);
}

device_pool::device_pool(device& device) : body_(device.make_pool()) {}

device_memory device_pool::allocate(std::size_t bytes, stream& stream) {
  return allocate(bytes, stream, nullptr);
}

device_memory device_pool::allocate(std::size_t bytes, stream& stream,
                                    std::shared_ptr<const void> owner) const {
  if (bytes == 0) throw invalid_argument("cannot allocate zero bytes from a pool");
  detail::check_same_device(stream.identity(), "a stream", body_->identity());
  auto* const block = body_->allocate(bytes, stream);
  return {{block, [body = body_, bytes, &stream, kept = std::move(owner)](
                      std::byte* freed) { body->deallocate(freed, bytes, stream); }},
          bytes};
}

std::size_t device_pool::held_bytes() const { return body_->held_bytes(); }

bool device_pool::release() { return body_->release(); }

class pinned_pool::state {
 public:
  state(device& device, stream& stream, host_memory_kind block_kind)
      : kind(block_kind),
        blocks_([device = detail::kept(device), block_kind](std::size_t bytes) {
          return device->allocate_host(bytes, block_kind);
        }),
        stream_(stream) {
    detail::check_same_device(stream.identity(), "a stream", device.identity());
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;
  ~state() {
    try {
      take_back(0);
    } catch (...) {  // NOLINT(bugprone-empty-catch): the device is lost, nothing uses the memory
    }
  }

  std::byte* allocate(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    take_back(most_pending_bytes);
    try {
      return blocks_.allocate(bytes);
    } catch (const out_of_memory&) {
      if (pending_.empty()) throw;
    }
    take_back(0);
    return blocks_.allocate(bytes);
  }

  /// The device address of an address in a block.
  [[nodiscard]] std::byte* on_device(std::byte* address) const {
    const auto& owner = blocks_.owner_of(address);
    return owner.on_device() ? owner.on_device() + (address - owner.data()) : nullptr;
  }

  void deallocate(std::byte* data, std::size_t bytes) noexcept {
    const std::scoped_lock lock(mutex_);
    try {
      if (stream_.is_recording()) {  // an event would become a part of the graph
        parked_.push_back({nullptr, data, bytes});
        return;
      }
      pending_.push_back({stream_.record(event_timing::off), data, bytes});
      pending_bytes_ += bytes;
    } catch (...) {
      wait_for_stream();
      blocks_.deallocate(data, bytes);
    }
  }

  bool release() {
    const std::scoped_lock lock(mutex_);
    take_back(0);
    return blocks_.release();
  }

  [[nodiscard]] std::size_t held() const { return blocks_.held(); }

  const host_memory_kind kind;

 private:
  struct pending_block {
    std::unique_ptr<event> free_from;
    std::byte* data;
    std::size_t bytes;
  };

  void wait_for_stream() noexcept {
    try {
      stream_.synchronize();
    } catch (...) {  // NOLINT(bugprone-empty-catch): the device is lost, nothing uses the memory
    }
  }

  /// Takes back the blocks that the stream has finished with, and waits for them until no more than
  /// `still_pending` bytes are left.
  void take_back(std::size_t still_pending) {
    if (!parked_.empty() && !stream_.is_recording())
      for (; !parked_.empty(); parked_.pop_back()) {
        const auto& block = parked_.back();
        pending_.push_back({stream_.record(event_timing::off), block.data, block.bytes});
        pending_bytes_ += block.bytes;
      }
    while (!pending_.empty()) {
      const auto& oldest = pending_.front();
      if (!oldest.free_from->done()) {
        if (pending_bytes_ <= still_pending) return;
        oldest.free_from->wait();
      }
      blocks_.deallocate(oldest.data, oldest.bytes);
      pending_bytes_ -= oldest.bytes;
      pending_.pop_front();
    }
  }

  std::mutex mutex_;
  pool<host_memory> blocks_;
  stream& stream_;
  std::deque<pending_block> pending_;
  std::vector<pending_block> parked_;  ///< freed while the stream was recording a graph
  std::size_t pending_bytes_ = 0;
};

pinned_pool::pinned_pool(device& device, stream& stream, host_memory_kind kind)
    : state_(std::make_shared<state>(device, stream, kind)) {}

host_memory pinned_pool::allocate(std::size_t bytes) {
  auto* const data = state_->allocate(bytes);
  return {{data, [state = state_, bytes](std::byte* p) { state->deallocate(p, bytes); }},
          bytes,
          state_->kind,
          state_->on_device(data)};
}

std::size_t pinned_pool::held_bytes() const { return state_->held(); }

bool pinned_pool::release() { return state_->release(); }

}  // namespace transfers
