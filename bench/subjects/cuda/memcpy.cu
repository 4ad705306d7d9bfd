#include "bench/cuda/check.hpp"
#include "bench/subjects/memcpy.hpp"

namespace bench_transfers::bench::subjects {

std::function<void(std::byte*, const std::byte*, std::size_t)> plain_memcpy(
    transfers::device& device, transfers::direction direction) {
  if (!device.description().cuda)
    return [&device, direction](std::byte* dst, const std::byte* src, std::size_t bytes) {
      device.copy(dst, src, bytes, direction);
    };
  const auto kind =
      direction == transfers::direction::h2d ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  return [kind](std::byte* dst, const std::byte* src, std::size_t bytes) {
    cuda_check(cudaMemcpy(dst, src, bytes, kind), "cudaMemcpy");
  };
}

}  // namespace bench_transfers::bench::subjects
