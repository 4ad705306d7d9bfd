#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transfers/core/device_view.hpp"
#include "transfers/core/host_memory.hpp"
#include "transfers/core/pageable_copier.hpp"
#include "transfers/core/same_device.hpp"
#include "transfers/core/stream.hpp"

namespace transfers {

/// Owns one block of device memory, in bytes. Movable, not copyable; destruction does not throw,
/// and any thread may destroy it. A block of device::allocate waits for all work of the device then
/// (cudaFree) and may outlive the device object; device_pool has rules of its own. Like
/// std::unique_ptr, a const owner gives access to bytes that are not const.
class device_memory {
 public:
  using deleter = std::function<void(std::byte*)>;  ///< frees the block; must not throw

  device_memory() = default;  ///< no memory
  device_memory(std::unique_ptr<std::byte, deleter> data, std::size_t bytes)
      : data_(std::move(data)), bytes_(bytes) {}

  /// Device address.
  [[nodiscard]] std::byte* data() const noexcept TRANSFERS_LIFETIMEBOUND { return data_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }

  /// As many elements of T as the block holds.
  template <class T = std::byte>
  [[nodiscard]] device_view<T> view() const& noexcept {
    return elements_at<T>(data(), bytes_);
  }
  template <class T = std::byte>
  void view() const&& = delete;  ///< of a temporary

 private:
  std::unique_ptr<std::byte, deleter> data_;
  detail::element_count bytes_{0};
};

/// Only for CUDA devices; what cannot be read is left empty or zero.
struct cuda_properties {
  int index = 0;                        ///< CUDA's number of the device in this process
  std::string uuid;                     ///< "GPU-…", as nvidia-smi prints it
  std::string pci_bus_id;               ///< "0000:06:00.0"
  std::string compute_capability;       ///< "9.0"
  int multiprocessors = 0;              ///< multiProcessorCount
  int copy_engines = 0;                 ///< asyncEngineCount
  std::size_t memory_bytes = 0;         ///< totalGlobalMem
  std::string driver_cuda_version;      ///< newest CUDA the driver supports, "13.0"
  std::string runtime_cuda_version;     ///< CUDA runtime in this binary, "13.0"
  bool maps_host_memory = false;        ///< canMapHostMemory
  bool pageable_memory_access = false;  ///< kernels can read malloc memory (HMM or ATS)
  bool host_page_tables = false;  ///< …through the host's page tables: a coherent link, not PCIe
  /// CPU and kernels may access managed memory at a time (concurrentManagedAccess).
  bool concurrent_managed_access = false;
  /// The host's NUMA node nearest to the device (cudaDevAttrHostNumaId); none: CUDA does not tell.
  std::optional<int> host_numa_node{};
  bool integrated = false;  ///< shares physical memory with the host: no link at all
};

/// The link of a host device, which is emulated: its rates are settings, not measured. 0: no limit.
struct link_description {
  std::string name;                  ///< devices that share the link have the same one
  double h2d_bytes_per_second = 0;   ///< host to device
  double d2h_bytes_per_second = 0;   ///< device to host
  double both_bytes_per_second = 0;  ///< for both directions together
};

/// What a device is. Does not change while the device exists.
struct device_description {
  std::string kind;                                 ///< "cuda" or "host"
  std::string name;                                 ///< for people: "NVIDIA H200", "host (no GPU)"
  std::optional<cuda_properties> cuda{};            ///< only for CUDA devices
  int index = 0;                                    ///< N of "cuda:N" or "host:N"
  std::optional<link_description> emulated_link{};  ///< only for host devices that have one
  std::vector<link_description> emulated_path{};    ///< its links, if it stands for several
};

namespace detail {
class pool_body;
}

/// A device that host memory is copied to and from. There are two implementations: CUDA devices,
/// and host devices, whose device memory is DRAM and whose copies are memcpy. Thread-safe: any
/// thread may use any device, since each call makes its device current and restores the device that
/// was current before it. Contexts, pools and copiers share what they need of it: the device object
/// may go before them, and before memory, locks, streams and events.
class device {
 public:
  virtual ~device() = default;
  device(const device&) = delete;
  device& operator=(const device&) = delete;

  /// Valid as long as the device.
  [[nodiscard]] virtual const device_description& description() const noexcept = 0;

  /// Tells its objects from those of other devices; not known of devices that other programs
  /// implement.
  [[nodiscard]] virtual detail::device_identity identity() const noexcept { return {}; }

  /// Returns the same device as another object, which shares all state with this one and may
  /// outlive it; null for devices that other programs implement, if they have no such object. They
  /// must outlive their contexts, pools and copiers.
  [[nodiscard]] virtual std::shared_ptr<device> share() { return nullptr; }

  /// Returns why this kind of host memory cannot be allocated here, in one line; nullopt if it can.
  [[nodiscard]] virtual std::optional<std::string> why_unsupported(host_memory_kind kind) const = 0;

  /// Allocates host memory. Throws out_of_memory, unsupported, device_error; invalid_argument for
  /// zero bytes.
  [[nodiscard]] virtual host_memory allocate_host(std::size_t bytes, host_memory_kind kind) = 0;
  /// Allocates uninitialised device memory (cudaMalloc), aligned to 256 bytes on CUDA devices.
  /// Throws out_of_memory, device_error; invalid_argument for zero bytes.
  [[nodiscard]] virtual device_memory allocate(std::size_t bytes) = 0;

  /// Page-locks existing memory (cudaHostRegister) until the returned owner is destroyed. Throws
  /// invalid_argument for no bytes and for memory that is page-locked already, out_of_memory,
  /// unsupported, device_error.
  [[nodiscard]] virtual page_lock lock(std::span<std::byte> memory) = 0;
  /// The same for the elements of a contiguous range, which must outlive the owner.
  template <host_elements R>
  requires(!std::same_as<std::remove_cvref_t<R>, std::span<std::byte>>) [[nodiscard]] page_lock
      lock(R&& range) {
    static_assert(detail::outlives_expression<R>,
                  "page-locked memory must outlive its lock: it must not be a temporary");
    constexpr bool writable =
        !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;
    static_assert(writable, "memory to lock must not be const");
    if constexpr (writable) return lock(std::as_writable_bytes(std::span(range)));
  }

  /// Returns whether the device itself copies from and to this host memory. Pageable memory is
  /// staged by the CUDA driver's CPU threads instead. Throws device_error.
  [[nodiscard]] virtual bool copies_directly(const std::byte* host) const = 0;
  /// The same for the first element of a contiguous range.
  template <host_elements R>
  [[nodiscard]] bool copies_directly(const R& range) const {
    return copies_directly(reinterpret_cast<const std::byte*>(std::ranges::data(range)));
  }

  /// Returns the address of this byte of page-locked or managed host memory in kernels
  /// (cudaPointerGetAttributes), which may differ from `host`; null for pageable memory. Throws
  /// device_error.
  [[nodiscard]] virtual std::byte* address_on_device(std::byte* host) const = 0;

  /// Returns how many bytes of device memory are free (cudaMemGetInfo); memory that pools hold is
  /// not. Throws device_error.
  [[nodiscard]] virtual std::size_t free_memory() const = 0;

  /// Copies, and returns when the data have arrived. Like cudaMemcpy, it first waits for earlier
  /// work of the legacy default stream and of the streams that synchronize with it. Unlike
  /// cudaMemcpy, it does not make launches of other threads wait
  /// (docs/fast_paths/company.md): it copies by cudaMemcpyAsync on the calling thread's default
  /// stream (cudaStreamPerThread), which synchronizes with the legacy default stream as well. So
  /// calls of several threads take turns. Throws device_error.
  virtual void copy(std::byte* dst, const std::byte* src, std::size_t bytes,
                    direction direction) = 0;

  /// Calls cudaMemcpy itself, for measurements. Unless all of the host's memory is page-locked, it
  /// also waits for a copy to the device: that may return before its data have arrived (CUDA
  /// Runtime API, "API synchronization behavior"). The same as copy() for host devices. Throws
  /// device_error.
  virtual void cuda_memcpy(std::byte* dst, const std::byte* src, std::size_t bytes,
                           direction direction, bool /*is_page_locked*/) {
    copy(dst, src, bytes, direction);
  }

  /// The same for elements: between a contiguous range of host memory and device memory
  /// (device_view, device_buffer, gpu_array). Throws length_error unless the sizes match,
  /// invalid_argument for an array of another device, device_error.
  template <class Dst, class Src>
  void copy(Dst&& dst, Src&& src) {
    using request = detail::finished_copy<Dst, Src>;
    static_assert(!(request::to_device && request::from_device),
                  "a stream or a context copies from device memory to device memory");
    const request typed(dst, src, identity());
    if (typed.bytes > 0)
      copy(typed.dst, typed.src, typed.bytes, request::to_device ? direction::h2d : direction::d2h);
  }

  /// Lets copies and kernels of this device access the memory of another device directly
  /// (cudaDeviceEnablePeerAccess), from now on. Returns false if the devices cannot; copies between
  /// them then cross the host's memory. One direction only: call it for both. It concerns the
  /// memory of contexts and pools that were made of this `peer` object, not of another object of
  /// the same device. Throws device_error.
  virtual bool access_peer(device& peer);
  /// Whether access_peer() has let them, for this `peer` object or one that shares its state.
  [[nodiscard]] bool accesses(const device& peer) const;

  /// Returns the copier that the contexts of the device share for pageable memory; null if copies
  /// of the device serve. It holds no threads and no memory before acquire(), so the first large
  /// copy pays for them.
  [[nodiscard]] virtual std::shared_ptr<pageable_copier> copier() { return nullptr; }

  /// Makes what a device_pool is. Throws device_error.
  [[nodiscard]] virtual std::shared_ptr<detail::pool_body> make_pool();

  /// Returns the pool that contexts share unless they are given another. It ends with the last of
  /// them. Thread-safe. Throws device_error.
  [[nodiscard]] std::shared_ptr<detail::pool_body> shared_pool();

  /// Returns a new stream, which does not wait for the legacy default stream
  /// (cudaStreamNonBlocking). Throws device_error.
  [[nodiscard]] virtual std::unique_ptr<stream> create_stream() = 0;

  /// The same with the highest priority that the device has (cudaStreamCreateWithPriority): its
  /// kernels start before those that wait on other streams. Priorities do not affect copies between
  /// host and device. Streams of host devices have none. Throws device_error.
  [[nodiscard]] virtual std::unique_ptr<stream> create_priority_stream() { return create_stream(); }

  /// Returns a stream for a cudaStream_t of this device that the caller has made and destroys,
  /// after the returned owner; null stands for the legacy default stream.
  /// transfers/cuda/interop.hpp has the same with types. Throws unsupported for host devices,
  /// invalid_argument for a stream of another device, device_error.
  [[nodiscard]] virtual std::unique_ptr<stream> adopt_stream(void* native_handle);

  /// Returns when all work on all streams of this device is done. Throws device_error.
  virtual void synchronize() = 0;

  /// Makes the device current in the calling thread, for the caller's own CUDA code, until the same
  /// thread destroys the returned owner; that restores the device that was current before. Owners
  /// must be destroyed in reverse order. Returns null for host devices. Throws device_error.
  [[nodiscard]] virtual std::shared_ptr<const void> make_current() = 0;

 protected:
  device() = default;
  /// The same device as `other`; see share().
  struct same_device_as {
    const device& other;
  };
  explicit device(same_device_as same) : pool_(same.other.pool_) {}

 private:
  struct pool_of_contexts {
    std::mutex mutex;
    std::weak_ptr<detail::pool_body> body;
  };
  std::shared_ptr<pool_of_contexts> pool_ = std::make_shared<pool_of_contexts>();
};

namespace detail {
/// The device, as long as what keeps it needs it.
std::shared_ptr<device> kept(device& device);
}  // namespace detail

/// Allocates page-locked memory in blocks of `piece_bytes`, of which the last may be smaller. While
/// CUDA page-locks memory, calls of other threads wait (docs/fast_paths/cost.md): copies, launches
/// and allocations then wait for about one block of the default kind. Blocks are no neighbours,
/// since CUDA refuses a copy across two of them. Throws what device::allocate_host throws;
/// invalid_argument for blocks of zero bytes.
[[nodiscard]] std::vector<host_memory> allocate_host_in_pieces(
    device& device, std::size_t bytes, std::size_t piece_bytes = std::size_t{256} << 20,
    host_memory_kind kind = registered_huge);

/// What find_cuda() finds.
struct cuda_presence {
  int devices = 0;       ///< number of CUDA devices
  std::string why_none;  ///< one line, set when devices is 0: no driver, driver too old, …
};

/// Counts the CUDA devices without creating a context. Never throws.
[[nodiscard]] cuda_presence find_cuda() noexcept;

/// Opens a CUDA device and its primary context, which the CUDA Runtime uses, too. The same device
/// may be opened several times. Throws unsupported if it does not exist, device_error if it cannot
/// be used.
[[nodiscard]] std::unique_ptr<device> open_cuda_device(int index);
/// Opens a new host device without options (see host_device.hpp).
[[nodiscard]] std::unique_ptr<device> open_host_device();

}  // namespace transfers
