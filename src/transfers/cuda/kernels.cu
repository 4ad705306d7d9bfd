#include <algorithm>
#include <cstdint>

#include "check.hpp"
#include "kernels.hpp"

namespace transfers::detail {
namespace {

constexpr unsigned block_threads = 512;

template <class Unit>
__global__ void copy_units(std::byte* destination, const std::byte* source, std::size_t bytes) {
  const std::size_t first = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  const std::size_t stride = gridDim.x * std::size_t{blockDim.x};
  const std::size_t units = bytes / sizeof(Unit);
  for (std::size_t i = first; i < units; i += stride)
    reinterpret_cast<Unit*>(destination)[i] = reinterpret_cast<const Unit*>(source)[i];
  const std::size_t tail = units * sizeof(Unit) + first;
  if (tail < bytes) destination[tail] = source[tail];
}

__global__ void wait_cycles(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

bool aligned_to_16(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
}

}  // namespace

void launch_copy(std::byte* destination, const std::byte* source, std::size_t bytes,
                 int multiprocessors, cudaStream_t stream) {
  const bool wide = aligned_to_16(destination) && aligned_to_16(source);
  const std::size_t units = std::max<std::size_t>(1, bytes / (wide ? 16 : 1));
  // Two blocks a multiprocessor are several times what fills a PCIe link.
  const auto most = 2 * static_cast<std::size_t>(multiprocessors);
  const auto blocks =
      static_cast<unsigned>(std::min((units + block_threads - 1) / block_threads, most));
  if (wide)
    copy_units<uint4><<<blocks, block_threads, 0, stream>>>(destination, source, bytes);
  else
    copy_units<std::byte><<<blocks, block_threads, 0, stream>>>(destination, source, bytes);
  cuda_check(cudaGetLastError(), "launch of the copy kernel");
}

void launch_delay(long long cycles, cudaStream_t stream) {
  wait_cycles<<<1, 1, 0, stream>>>(cycles);
  cuda_check(cudaGetLastError(), "launch of the delay kernel");
}

}  // namespace transfers::detail
