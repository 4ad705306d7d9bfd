#include <map>
#include <memory>
#include <mutex>

#include "src/transfers/core/block_pool.hpp"
#include "transfers/core/pool.hpp"

namespace transfers::detail {
namespace {

/// Pools of Thrust, one for each stream: a block is used again by the stream that freed it, whose
/// work runs in order. A new stream at the address of an old one inherits its blocks, because
/// streams finish their work before they end.
class suballocator final : public pool_body {
 public:
  explicit suballocator(device& device) : device_(kept(device)) {}

  [[nodiscard]] device_identity identity() const noexcept override { return device_->identity(); }

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
    existing_blocks_of(stream).deallocate(block, bytes);
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
  block_pool<device_memory>& blocks_of(stream& stream) {
    const std::scoped_lock lock(mutex_);
    return pools_
        .try_emplace(&stream, [this](std::size_t bytes) { return device_->allocate(bytes); })
        .first->second;
  }

  /// Of a stream that has allocated: needs no memory.
  block_pool<device_memory>& existing_blocks_of(stream& stream) {
    const std::scoped_lock lock(mutex_);
    return pools_.find(&stream)->second;
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
  std::map<const stream*, block_pool<device_memory>> pools_;
};

}  // namespace

std::shared_ptr<pool_body> make_suballocator(device& device) {
  return std::make_shared<suballocator>(device);
}

}  // namespace transfers::detail
