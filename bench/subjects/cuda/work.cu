#include <algorithm>

#include "bench/subjects/work.hpp"
#include "transfers/core/device.hpp"

namespace bench_transfers::bench::subjects {
namespace {

constexpr unsigned threads_of_work = 256;

__global__ void multiply_words(std::uint32_t* words, std::uint64_t count, unsigned passes,
                               unsigned factors) {
  auto* const units = reinterpret_cast<uint4*>(words);
  const std::uint64_t first = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  const std::uint64_t stride = gridDim.x * std::uint64_t{blockDim.x};
  for (unsigned pass = 0; pass < passes; ++pass)
    for (std::uint64_t i = first; i < count / 4; i += stride) {
      auto unit = units[i];
#pragma unroll 1  // the compiler would multiply once, by a power of 3
      for (unsigned factor = 0; factor < factors; ++factor) {
        unit.x *= 3;
        unit.y *= 3;
        unit.z *= 3;
        unit.w *= 3;
      }
      units[i] = unit;
    }
}

}  // namespace

work_kernel multiplying_kernel(const transfers::device& device, std::uint64_t words) {
  if (!device.description().cuda) return multiplying_kernel_on_host();
  constexpr std::uint64_t blocks_of_multiprocessor = 8;
  const auto most = blocks_of_multiprocessor *
                    static_cast<std::uint64_t>(device.description().cuda->multiprocessors);
  const auto needed = (words / 4 + threads_of_work - 1) / threads_of_work;
  const auto multiply =
      transfers::cuda_function("multiply", reinterpret_cast<const void*>(&multiply_words));
  return {multiply.prepare<std::uint32_t*, std::uint64_t, unsigned, unsigned>(),
          {.grid = {static_cast<unsigned>(std::clamp<std::uint64_t>(needed, 1, most))},
           .block = {threads_of_work}}};
}

}  // namespace bench_transfers::bench::subjects
