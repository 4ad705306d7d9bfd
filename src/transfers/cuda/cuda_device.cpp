#include <cuda_runtime.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "src/transfers/core/numa.hpp"
#include "src/transfers/core/pages.hpp"
#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/cuda_pool.hpp"
#include "src/transfers/cuda/cuda_stream.hpp"
#include "src/transfers/cuda/current_context.hpp"
#include "src/transfers/cuda/kernels.hpp"
#include "src/transfers/cuda/toolkit.hpp"
#include "src/transfers/fast/default_copier.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

using detail::attribute;
using detail::cuda_check;
using detail::current_context;
using detail::memcpy_kind;

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

std::optional<int> host_numa_node(int index) {
  int node = -1;
  if (cudaDeviceGetAttribute(&node, cudaDevAttrHostNumaId, index) != cudaSuccess) {
    cudaGetLastError();  // a driver that is older than the attribute
    return std::nullopt;
  }
  return node < 0 ? std::nullopt : std::optional(node);
}

device_description describe_device(int index) {
  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  std::array<char, 32> bus_id{};
  cuda_check(cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), index),
             "cudaDeviceGetPCIBusId");
  int driver = 0;
  int runtime = 0;
  cuda_check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  cuda_check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");

  cuda_properties cuda;
  cuda.index = index;
  cuda.uuid = uuid_text(properties.uuid);
  cuda.pci_bus_id = bus_id.data();
  cuda.compute_capability = fmt::format("{}.{}", properties.major, properties.minor);
  cuda.multiprocessors = properties.multiProcessorCount;
  cuda.copy_engines = properties.asyncEngineCount;
  cuda.memory_bytes = properties.totalGlobalMem;
  cuda.driver_cuda_version = version_text(driver);
  cuda.runtime_cuda_version = version_text(runtime);
  cuda.maps_host_memory = properties.canMapHostMemory != 0;
  cuda.pageable_memory_access = properties.pageableMemoryAccess != 0;
  cuda.host_page_tables = properties.pageableMemoryAccessUsesHostPageTables != 0;
  cuda.concurrent_managed_access = properties.concurrentManagedAccess != 0;
  cuda.integrated = properties.integrated != 0;
  cuda.host_numa_node = host_numa_node(index);
  return {"cuda", properties.name, cuda, index};
}

unsigned host_register_flags(pin_flags flags) {
  unsigned bits = cudaHostRegisterDefault;
  if (has(flags, pin_flags::portable)) bits |= cudaHostRegisterPortable;
  if (has(flags, pin_flags::mapped)) bits |= cudaHostRegisterMapped;
  return bits;
}

unsigned host_alloc_flags(pin_flags flags) {
  unsigned bits = cudaHostAllocDefault;
  if (has(flags, pin_flags::portable)) bits |= cudaHostAllocPortable;
  if (has(flags, pin_flags::mapped)) bits |= cudaHostAllocMapped;
  if (has(flags, pin_flags::write_combined)) bits |= cudaHostAllocWriteCombined;
  return bits;
}

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

class cuda_device final : public device {
 public:
  explicit cuda_device(int index) : context_(detail::primary_context(index)) {
    const current_context current(context_);
    description_ = describe_device(index);
    detail::load_transfer_kernels();
    copier_ = detail::make_default_copier(
        std::make_shared<cuda_device>(same_device_as{*this}, *this, nullptr));
  }
  /// Another object of one device. It copies all members but the copier: that of the object which
  /// the copier itself keeps is null, because otherwise each would keep the other.
  cuda_device(same_device_as same, const cuda_device& other,
              std::shared_ptr<pageable_copier> copier)
      : device(same),
        context_(other.context_),
        description_(other.description_),
        peers_(other.peers_),
        copier_(std::move(copier)) {}

  [[nodiscard]] std::shared_ptr<device> share() override {
    return std::make_shared<cuda_device>(same_device_as{*this}, *this, copier_);
  }

  [[nodiscard]] detail::device_identity identity() const noexcept override {
    return {context_, "cuda", description_.cuda->index, peers_.get()};
  }

  [[nodiscard]] const device_description& description() const noexcept override {
    return description_;
  }

  [[nodiscard]] std::optional<std::string> why_unsupported(host_memory_kind kind) const override {
    if (kind.origin == host_origin::pageable_huge)
      if (auto reason = why_no_huge_pages()) return reason;
    if (has(kind.flags, pin_flags::mapped) && !description_.cuda->maps_host_memory)
      return "the device cannot map host memory (cudaDevAttrCanMapHostMemory is 0)";
    if (kind.origin == host_origin::managed &&
        attribute(cudaDevAttrConcurrentManagedAccess, description_.cuda->index) == 0)
      return "managed memory cannot stay on the host (cudaDevAttrConcurrentManagedAccess is 0)";
    if (is_registered(kind) &&
        attribute(cudaDevAttrHostRegisterSupported, description_.cuda->index) == 0)
      return "the device cannot register host memory (cudaDevAttrHostRegisterSupported is 0)";
    return detail::why_not_on_its_node(kind);
  }

  [[nodiscard]] host_memory allocate_host(std::size_t bytes, host_memory_kind kind) override {
    if (const auto reason = why_unsupported(kind)) throw unsupported(*reason);
    const current_context current(context_);
    if (is_registered(kind)) return register_pages(map_pages_of(kind, bytes), bytes, kind);
    switch (kind.origin) {
      case host_origin::managed: return allocate_managed(bytes);
      case host_origin::pinned: return allocate_pinned(bytes, kind);
      case host_origin::pageable:
      case host_origin::pageable_huge:
      case host_origin::registered:
      case host_origin::registered_huge: break;
    }
    return {map_pages_of(kind, bytes), bytes, kind, nullptr};
  }

  [[nodiscard]] device_memory allocate(std::size_t bytes) override {
    if (bytes == 0) throw invalid_argument("cannot allocate zero bytes of device memory");
    const current_context current(context_);
    void* data = nullptr;
    cuda_check(cudaMalloc(&data, bytes), "cudaMalloc");
    return {{static_cast<std::byte*>(data), in_context(cudaFree)}, bytes};
  }

  [[nodiscard]] page_lock lock(std::span<std::byte> memory) override {
    return lock(memory, cudaHostRegisterDefault);
  }

  [[nodiscard]] bool copies_directly(const std::byte* host) const override {
    const current_context current(context_);
    cudaPointerAttributes attributes{};
    cuda_check(cudaPointerGetAttributes(&attributes, host), "cudaPointerGetAttributes");
    return attributes.type != cudaMemoryTypeUnregistered;
  }

  [[nodiscard]] std::byte* address_on_device(std::byte* host) const override {
    const current_context current(context_);
    cudaPointerAttributes attributes{};
    cuda_check(cudaPointerGetAttributes(&attributes, host), "cudaPointerGetAttributes");
    // If the device also reads ordinary memory, that memory has a device address.
    if (attributes.type == cudaMemoryTypeUnregistered) return nullptr;
    return static_cast<std::byte*>(attributes.devicePointer);
  }

  [[nodiscard]] std::size_t free_memory() const override {
    const current_context current(context_);
    std::size_t free = 0;
    std::size_t total = 0;
    cuda_check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return free;
  }

  /// On the legacy default stream, cudaMemcpyAsync of pageable memory makes launches of other
  /// threads wait, too. To wait until that stream is idle does not.
  void copy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction) override {
    const current_context current(context_);
    cuda_check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
    cuda_check(cudaMemcpyAsync(dst, src, bytes, memcpy_kind(direction), cudaStreamPerThread),
               "cudaMemcpyAsync");
    cuda_check(cudaStreamSynchronize(cudaStreamPerThread), "cudaStreamSynchronize");
  }

  void cuda_memcpy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction,
                   bool is_page_locked) override {
    const current_context current(context_);
    cuda_check(cudaMemcpy(dst, src, bytes, memcpy_kind(direction)), "cudaMemcpy");
    if (!is_page_locked && direction == direction::h2d)
      cuda_check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
  }

  bool access_peer(device& peer) override {
    auto* const other = dynamic_cast<cuda_device*>(&peer);
    if (other == nullptr) return false;
    const int index = description_.cuda->index;
    const int peer_index = other->description_.cuda->index;
    if (peer_index == index) return true;
    int can_access = 0;
    cuda_check(cudaDeviceCanAccessPeer(&can_access, index, peer_index), "cudaDeviceCanAccessPeer");
    if (can_access == 0) return false;
    const current_context current(context_);
    constexpr unsigned no_flags = 0;
    const auto code = cudaDeviceEnablePeerAccess(peer_index, no_flags);
    if (code == cudaErrorPeerAccessAlreadyEnabled)
      cudaGetLastError();  // clears the code, which is no error
    else
      cuda_check(code, "cudaDeviceEnablePeerAccess");
    other->peers_->permit(context_, index);
    return true;
  }

  [[nodiscard]] std::shared_ptr<pageable_copier> copier() override { return copier_; }

  [[nodiscard]] std::shared_ptr<detail::pool_body> make_pool() override {
    const current_context current(context_);
    auto pool = detail::make_cuda_pool(description_.cuda->index, context_, peers_);
    peers_->add(pool);
    return pool;
  }

  [[nodiscard]] std::unique_ptr<stream> adopt_stream(void* native_handle) override {
    const current_context current(context_);
    return detail::adopt_cuda_stream(description_.cuda->index, context_,
                                     static_cast<cudaStream_t>(native_handle));
  }

  [[nodiscard]] std::unique_ptr<stream> create_stream() override {
    const current_context current(context_);
    return detail::create_cuda_stream(description_.cuda->index, context_);
  }
  [[nodiscard]] std::unique_ptr<stream> create_priority_stream() override {
    const current_context current(context_);
    return detail::create_cuda_stream(description_.cuda->index, context_,
                                      detail::greatest_priority());
  }

  void synchronize() override {
    const current_context current(context_);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  [[nodiscard]] std::shared_ptr<const void> make_current() override {
    return detail::pushed(context_);
  }

 private:
  /// A deleter that calls `free` in the context of the memory.
  template <class Free>
  [[nodiscard]] std::function<void(std::byte*)> in_context(Free free) const {
    return [free, context = context_](std::byte* memory) {
      const current_context current(context, std::nothrow);
      free(memory);
    };
  }

  static bool is_registered(host_memory_kind kind) {
    return kind.origin == host_origin::registered || kind.origin == host_origin::registered_huge ||
           (kind.origin == host_origin::pinned && kind.node);
  }

  [[nodiscard]] page_lock lock(std::span<std::byte> memory, unsigned flags) {
    if (memory.empty()) throw invalid_argument("cannot lock zero bytes of host memory");
    const current_context current(context_);
    // This recognises memory from cudaHostAlloc; the code below recognises parts of registered
    // memory.
    if (copies_directly(memory.data()) || copies_directly(memory.data() + memory.size() - 1))
      throw invalid_argument("this host memory is page-locked already, or a part of it is");
    const auto code = cudaHostRegister(memory.data(), memory.size(), flags);
    if (code == cudaErrorHostMemoryAlreadyRegistered) {
      cudaGetLastError();
      throw invalid_argument("this host memory is page-locked already, or a part of it is");
    }
    cuda_check(code, "cudaHostRegister");
    return {{memory.data(), in_context(cudaHostUnregister)},
            memory.size(),
            mapped_address(memory.data())};
  }

  static std::byte* mapped_address(std::byte* host) {
    void* address = nullptr;
    if (cudaHostGetDevicePointer(&address, host, 0) == cudaSuccess)
      return static_cast<std::byte*>(address);
    cudaGetLastError();  // not mapped: host_memory has a null device address
    return nullptr;
  }

  [[nodiscard]] host_memory register_pages(std::unique_ptr<std::byte, host_memory::deleter> pages,
                                           std::size_t bytes, host_memory_kind kind) {
    auto* const data = pages.get();
    // Shared, because a deleter must be copyable.
    auto locked = std::make_shared<std::optional<page_lock>>(
        lock({data, bytes}, host_register_flags(kind.flags)));
    // The kernel moves pages out of memory that must stay movable before it locks them.
    if (kind.node) detail::verify_node({data, bytes}, *kind.node);
    auto* const on_device = (*locked)->on_device();
    auto unmap = std::move(pages.get_deleter());
    return {{pages.release(),
             [unmap, locked](std::byte* p) {
               locked->reset();
               unmap(p);
             }},
            bytes,
            kind,
            on_device};
  }

  /// Makes memory resident on the host: advises CUDA to prefer the host, and touches it on the CPU.
  [[nodiscard]] host_memory allocate_managed(std::size_t bytes) const {
    if (bytes == 0) throw invalid_argument("cannot allocate zero bytes of host memory");
    void* memory = nullptr;
    cuda_check(cudaMallocManaged(&memory, bytes), "cudaMallocManaged");
    auto* const data = static_cast<std::byte*>(memory);
    host_memory memory_owner{{data, in_context(cudaFree)}, bytes, managed, data};
    cuda_check(cudaMemAdvise(memory, bytes, cudaMemAdviseSetPreferredLocation,
                             detail::place_of(cudaCpuDeviceId)),
               "cudaMemAdvise");
    std::memset(memory, 0, bytes);
    return memory_owner;
  }

  [[nodiscard]] host_memory allocate_pinned(std::size_t bytes, host_memory_kind kind) const {
    if (bytes == 0) throw invalid_argument("cannot allocate zero bytes of host memory");
    void* memory = nullptr;
    cuda_check(cudaHostAlloc(&memory, bytes, host_alloc_flags(kind.flags)), "cudaHostAlloc");
    auto* const data = static_cast<std::byte*>(memory);
    return {{data, in_context(cudaFreeHost)}, bytes, kind, mapped_address(data)};
  }

  CUcontext context_;
  device_description description_;
  std::shared_ptr<access_by_peers> peers_ = std::make_shared<access_by_peers>();
  std::shared_ptr<pageable_copier> copier_;
};

std::string why_no_device(cudaError_t code) {
  int driver = 0;
  int runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  if (driver == 0) return "no NVIDIA driver is installed";
  if (code == cudaErrorInsufficientDriver)
    return fmt::format("the NVIDIA driver is too old: it supports CUDA {}, this program needs {}",
                       version_text(driver), version_text(runtime));
  if (code == cudaErrorNoDevice || code == cudaSuccess) {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    return visible ? fmt::format("no GPU is visible (CUDA_VISIBLE_DEVICES is '{}')", visible)
                   : std::string("the driver sees no GPU");
  }
  return fmt::format("{} ({})", cudaGetErrorName(code), cudaGetErrorString(code));
}

}  // namespace

cuda_presence find_cuda() noexcept {
  int count = 0;
  const auto code = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (code == cudaSuccess && count > 0) return {count, {}};
  return {0, why_no_device(code)};
}

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
