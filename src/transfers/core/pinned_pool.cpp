#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "src/transfers/core/block_pool.hpp"
#include "transfers/core/error.hpp"
#include "transfers/core/pool.hpp"

namespace transfers {

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
      if (stream_.is_recording())  // an event would become a part of the graph
        parked_.push_back({data, bytes});
      else
        add_pending({data, bytes});
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
  struct freed_block {
    std::byte* data;
    std::size_t bytes;
  };
  struct pending_block {
    std::unique_ptr<event> free_from;
    freed_block block;
  };

  void wait_for_stream() noexcept {
    try {
      stream_.synchronize();
    } catch (...) {  // NOLINT(bugprone-empty-catch): the device is lost, nothing uses the memory
    }
  }

  /// The block is free when the stream has done the work before.
  void add_pending(const freed_block& block) {
    pending_.push_back({stream_.record(event_timing::off), block});
    pending_bytes_ += block.bytes;
  }

  /// Takes back the blocks that the stream has finished with, and waits for them until no more than
  /// `still_pending` bytes are left.
  void take_back(std::size_t still_pending) {
    if (!parked_.empty() && !stream_.is_recording())
      for (; !parked_.empty(); parked_.pop_back()) add_pending(parked_.back());
    while (!pending_.empty()) {
      const auto& [free_from, block] = pending_.front();
      if (!free_from->done()) {
        if (pending_bytes_ <= still_pending) return;
        free_from->wait();
      }
      blocks_.deallocate(block.data, block.bytes);
      pending_bytes_ -= block.bytes;
      pending_.pop_front();
    }
  }

  std::mutex mutex_;
  detail::block_pool<host_memory> blocks_;
  stream& stream_;
  std::deque<pending_block> pending_;
  std::vector<freed_block> parked_;  ///< freed while the stream was recording a graph
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
