#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "bench/cuda/check.hpp"
#include "bench/subjects/bulk_kernel.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::subjects {
namespace {

constexpr unsigned threads_of_warp = 32;
constexpr unsigned bulk_slots = 12;
constexpr std::size_t bulk_slot_bytes = 8192;
constexpr std::size_t bulk_shared_bytes = bulk_slots * bulk_slot_bytes;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

__device__ std::uint32_t shared_address(const void* address) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(address));
}

__device__ void begin_read(std::byte* slot, const std::byte* src, std::uint32_t bytes,
                           std::uint64_t* arrived) {
  const auto barrier = shared_address(arrived);
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(slot)),
      "l"(__cvta_generic_to_global(src)), "r"(bytes), "r"(barrier)
      : "memory");
}

__device__ void wait_for_read(std::uint64_t* arrived, std::uint32_t phase) {
  std::uint32_t is_done = 0;
  while (is_done == 0)
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
        "selp.u32 %0, 1, 0, done;\n"
        "}"
        : "=r"(is_done)
        : "r"(shared_address(arrived)), "r"(phase)
        : "memory");
}

__device__ void begin_write(std::byte* dst, const std::byte* slot, std::uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                   __cvta_generic_to_global(dst)),
               "r"(shared_address(slot)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// One thread of each block, the parts blockIdx.x, blockIdx.x + gridDim.x ...
__device__ void copy_parts(std::byte* dst, const std::byte* src, std::size_t bytes,
                           std::byte* slots, std::uint64_t* arrived) {
  constexpr unsigned writes_under_way = 4;  // reads run ahead of them by the other slots
  const auto parts = (bytes + bulk_slot_bytes - 1) / bulk_slot_bytes;
  const std::size_t mine =
      parts > blockIdx.x ? (parts - blockIdx.x + gridDim.x - 1) / gridDim.x : 0;
  const auto first_of = [&](std::size_t i) {
    return (blockIdx.x + i * gridDim.x) * bulk_slot_bytes;
  };
  const auto bytes_of = [&](std::size_t i) {
    return static_cast<std::uint32_t>(min(bulk_slot_bytes, bytes - first_of(i)));
  };
  const auto read = [&](std::size_t i) {
    const auto slot = i % bulk_slots;
    begin_read(slots + slot * bulk_slot_bytes, src + first_of(i), bytes_of(i), arrived + slot);
  };
  for (std::size_t i = 0; i < mine && i < bulk_slots; ++i) read(i);
  for (std::size_t i = 0; i < mine; ++i) {
    const auto slot = i % bulk_slots;
    wait_for_read(arrived + slot, static_cast<std::uint32_t>(i / bulk_slots % 2));
    begin_write(dst + first_of(i), slots + slot * bulk_slot_bytes, bytes_of(i));
    // The slot of an earlier part has been written from; it takes the part that is due there.
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(writes_under_way) : "memory");
    if (i >= writes_under_way && i - writes_under_way + bulk_slots < mine)
      read(i - writes_under_way + bulk_slots);
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

#endif

/// Bytes are a multiple of 16; so are the addresses.
__global__ void __launch_bounds__(threads_of_warp)
    copy_in_bulk(std::byte* dst, const std::byte* src, std::size_t bytes, std::size_t rest) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) std::byte slots[];
  __shared__ std::uint64_t arrived[bulk_slots];
  if (blockIdx.x == 0 && threadIdx.x < rest) dst[bytes + threadIdx.x] = src[bytes + threadIdx.x];
  if (threadIdx.x != 0) return;
  for (auto& barrier : arrived)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier))
                 : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  copy_parts(dst, src, bytes, slots, arrived);
#endif
}

constexpr int least_architecture = 900;

/// 900 for compute capability 9.0.
int architecture_of(const std::string& compute_capability) {
  return static_cast<int>(std::lround(std::stod(compute_capability) * 10)) * 10;
}

/// Whether the program has code of the kernel that is no stub, for a device.
bool is_built_for(int architecture) {
  constexpr std::array built_for{__CUDA_ARCH_LIST__};
  return std::ranges::any_of(built_for, [architecture](int built) {
    return built >= least_architecture && built <= architecture;
  });
}

}  // namespace

std::optional<std::string> why_no_bulk_copies(const transfers::device& device) {
  const auto& cuda = device.description().cuda;
  if (!cuda) return "cp.async.bulk is an instruction of GPUs; the host device has none";
  const auto architecture = architecture_of(cuda->compute_capability);
  if (architecture < least_architecture)
    return "cp.async.bulk needs compute capability 9.0; the device has " + cuda->compute_capability;
  if (!is_built_for(architecture))
    return "this program was built for older GPUs, without cp.async.bulk "
           "(CMAKE_CUDA_ARCHITECTURES)";
  return std::nullopt;
}

std::function<void(std::byte*, const std::byte*, std::size_t)> bulk_copy_kernel(
    const transfers::device& device, transfers::stream& stream, unsigned blocks) {
  if (const auto reason = why_no_bulk_copies(device)) throw transfers::unsupported(*reason);
  cuda_check(cudaFuncSetAttribute(copy_in_bulk, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bulk_shared_bytes)),
             "cudaFuncSetAttribute");
  const auto native_stream = static_cast<cudaStream_t>(stream.native_handle());
  return [blocks, native_stream](std::byte* dst, const std::byte* src, std::size_t bytes) {
    constexpr std::size_t unit = 16;
    const auto rest = bytes % unit;
    copy_in_bulk<<<blocks, threads_of_warp, bulk_shared_bytes, native_stream>>>(dst, src,
                                                                                bytes - rest, rest);
    cuda_check(cudaGetLastError(), "launch of the kernel that copies in bulk");
  };
}

}  // namespace bench_transfers::bench::subjects
