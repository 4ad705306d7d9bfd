#include <cuda_runtime.h>
#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/transfers/core/numa.hpp"
#include "src/transfers/core/pages.hpp"
#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/cuda_description.hpp"
#include "src/transfers/cuda/cuda_host_memory.hpp"
#include "src/transfers/cuda/cuda_pool.hpp"
#include "src/transfers/cuda/cuda_stream.hpp"
#include "src/transfers/cuda/current_context.hpp"
#include "src/transfers/cuda/kernels.hpp"
#include "src/transfers/fast/default_copier.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

using detail::attribute;
using detail::cuda_check;
using detail::current_context;
using detail::memcpy_kind;

/// The devices that may access the memory of one, pools included, which are no part of
/// cudaDeviceEnablePeerAccess.
class access_by_peers final : public detail::accessors {
 public:
  [[nodiscard]] bool contain(const void* state) const override {
    const std::scoped_lock lock(mutex_);
    return peers_.contains(state);
  }
  void permit(CUcontext peer, int index) {
    const std::scoped_lock lock(mutex_);
    for (const auto& known : pools_)
      if (const auto pool = known.lock()) pool->permit(index);
    peers_.emplace(peer, index);
  }
  void add(const std::shared_ptr<detail::cuda_pool>& pool) {
    const std::scoped_lock lock(mutex_);
    for (const auto& [peer, index] : peers_) pool->permit(index);
    std::erase_if(pools_, [](const auto& known) { return known.expired(); });
    pools_.push_back(pool);
  }

 private:
  mutable std::mutex mutex_;
  std::map<const void*, int> peers_;  ///< contexts, and their devices' indices
  std::vector<std::weak_ptr<detail::cuda_pool>> pools_;
};

/// What all objects of one device have in common.
struct opened_device {
  int index;
  CUcontext context;
  device_description description = {};
  std::shared_ptr<access_by_peers> peers = std::make_shared<access_by_peers>();
};

class cuda_device final : public device {
 public:
  explicit cuda_device(int index) : opened_{index, detail::primary_context(index)} {
    const current_context current(opened_.context);
    opened_.description = detail::describe_cuda_device(index);
    detail::load_transfer_kernels();
    copier_ = detail::make_default_copier(
        std::make_shared<cuda_device>(same_device_as{*this}, opened_, nullptr));
  }
  /// Another object of one device. The object that the copier itself keeps has none, because
  /// otherwise each would keep the other.
  cuda_device(same_device_as same, opened_device opened, std::shared_ptr<pageable_copier> copier)
      : device(same), opened_(std::move(opened)), copier_(std::move(copier)) {}

  [[nodiscard]] std::shared_ptr<device> share() override {
    return std::make_shared<cuda_device>(same_device_as{*this}, opened_, copier_);
  }

  [[nodiscard]] detail::device_identity identity() const noexcept override {
    return {opened_.context, "cuda", opened_.index, opened_.peers.get()};
  }

  [[nodiscard]] const device_description& description() const noexcept override {
    return opened_.description;
  }

  [[nodiscard]] std::optional<std::string> why_unsupported(host_memory_kind kind) const override {
    if (kind.origin == host_origin::pageable_huge)
      if (auto reason = why_no_huge_pages()) return reason;
    if (has(kind.flags, pin_flags::mapped) && !opened_.description.cuda->maps_host_memory)
      return "the device cannot map host memory (cudaDevAttrCanMapHostMemory is 0)";
    if (kind.origin == host_origin::managed &&
        attribute(cudaDevAttrConcurrentManagedAccess, opened_.index) == 0)
      return "managed memory cannot stay on the host (cudaDevAttrConcurrentManagedAccess is 0)";
    if (detail::is_registered(kind) &&
        attribute(cudaDevAttrHostRegisterSupported, opened_.index) == 0)
      return "the device cannot register host memory (cudaDevAttrHostRegisterSupported is 0)";
    return detail::why_not_on_its_node(kind);
  }

  [[nodiscard]] host_memory allocate_host(std::size_t bytes, host_memory_kind kind) override {
    if (const auto reason = why_unsupported(kind)) throw unsupported(*reason);
    return detail::allocate_host(opened_.context, bytes, kind);
  }

  [[nodiscard]] device_memory allocate(std::size_t bytes) override {
    if (bytes == 0) throw invalid_argument("cannot allocate zero bytes of device memory");
    const current_context current(opened_.context);
    void* data = nullptr;
    cuda_check(cudaMalloc(&data, bytes), "cudaMalloc");
    return {{static_cast<std::byte*>(data), detail::in_context(opened_.context, cudaFree)}, bytes};
  }

  [[nodiscard]] page_lock lock(std::span<std::byte> memory) override {
    return detail::lock_host(opened_.context, memory);
  }

  [[nodiscard]] bool copies_directly(const std::byte* host) const override {
    return detail::attributes_of(opened_.context, host).type != cudaMemoryTypeUnregistered;
  }

  [[nodiscard]] std::byte* address_on_device(std::byte* host) const override {
    const auto attributes = detail::attributes_of(opened_.context, host);
    // If the device also reads ordinary memory, that memory has a device address.
    if (attributes.type == cudaMemoryTypeUnregistered) return nullptr;
    return static_cast<std::byte*>(attributes.devicePointer);
  }

  [[nodiscard]] std::size_t free_memory() const override {
    const current_context current(opened_.context);
    std::size_t free = 0;
    std::size_t total = 0;
    cuda_check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return free;
  }

  /// On the legacy default stream, cudaMemcpyAsync of pageable memory makes launches of other
  /// threads wait, too. To wait until that stream is idle does not.
  void copy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction) override {
    const current_context current(opened_.context);
    cuda_check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
    cuda_check(cudaMemcpyAsync(dst, src, bytes, memcpy_kind(direction), cudaStreamPerThread),
               "cudaMemcpyAsync");
    cuda_check(cudaStreamSynchronize(cudaStreamPerThread), "cudaStreamSynchronize");
  }

  void cuda_memcpy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction,
                   bool is_page_locked) override {
    const current_context current(opened_.context);
    cuda_check(cudaMemcpy(dst, src, bytes, memcpy_kind(direction)), "cudaMemcpy");
    if (!is_page_locked && direction == direction::h2d)
      cuda_check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
  }

  bool access_peer(device& peer) override {
    auto* const other = dynamic_cast<cuda_device*>(&peer);
    if (other == nullptr) return false;
    const int index = opened_.index;
    const int peer_index = other->opened_.index;
    if (peer_index == index) return true;
    int can_access = 0;
    cuda_check(cudaDeviceCanAccessPeer(&can_access, index, peer_index), "cudaDeviceCanAccessPeer");
    if (can_access == 0) return false;
    const current_context current(opened_.context);
    constexpr unsigned no_flags = 0;
    const auto code = cudaDeviceEnablePeerAccess(peer_index, no_flags);
    if (code == cudaErrorPeerAccessAlreadyEnabled)
      cudaGetLastError();  // clears the code, which is no error
    else
      cuda_check(code, "cudaDeviceEnablePeerAccess");
    other->opened_.peers->permit(opened_.context, index);
    return true;
  }

  [[nodiscard]] std::shared_ptr<pageable_copier> copier() override { return copier_; }

  [[nodiscard]] std::shared_ptr<detail::pool_body> make_pool() override {
    const current_context current(opened_.context);
    auto pool = detail::make_cuda_pool(opened_.index, opened_.context, opened_.peers);
    opened_.peers->add(pool);
    return pool;
  }

  [[nodiscard]] std::unique_ptr<stream> adopt_stream(void* native_handle) override {
    const current_context current(opened_.context);
    return detail::adopt_cuda_stream(opened_.index, opened_.context,
                                     static_cast<cudaStream_t>(native_handle));
  }

  [[nodiscard]] std::unique_ptr<stream> create_stream() override {
    const current_context current(opened_.context);
    return detail::create_cuda_stream(opened_.index, opened_.context);
  }
  [[nodiscard]] std::unique_ptr<stream> create_priority_stream() override {
    const current_context current(opened_.context);
    return detail::create_cuda_stream(opened_.index, opened_.context, detail::greatest_priority());
  }

  void synchronize() override {
    const current_context current(opened_.context);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  [[nodiscard]] std::shared_ptr<const void> make_current() override {
    return detail::pushed(opened_.context);
  }

 private:
  opened_device opened_;
  std::shared_ptr<pageable_copier> copier_;
};

}  // namespace

std::unique_ptr<device> open_cuda_device(int index) {
  const auto available = find_cuda();
  if (available.devices == 0) throw unsupported(available.why_none);
  if (index < 0 || index >= available.devices)
    throw unsupported(fmt::format(
        "there is no cuda:{}: this machine has {} GPU{}, cuda:0{}", index, available.devices,
        available.devices == 1 ? "" : "s",
        available.devices == 1 ? "" : fmt::format(" to cuda:{}", available.devices - 1)));
  return std::make_unique<cuda_device>(index);
}

}  // namespace transfers
