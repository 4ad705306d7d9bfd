#include <algorithm>

#include "bench/subjects/parameters.hpp"

namespace bench_transfers::bench::subjects {
namespace {

constexpr unsigned threads_of_block = 128;

/// Each thread writes a word; the last one also the bytes behind the last word.
__device__ void write_words(std::uint32_t* dst, const std::uint32_t* src, std::uint32_t bytes) {
  const auto word = blockIdx.x * threads_of_block + threadIdx.x;
  const auto words = bytes / sizeof(std::uint32_t);
  if (word < words) dst[word] = src[word];
  if (word != words) return;
  for (auto i = words * sizeof(std::uint32_t); i < bytes; ++i)
    reinterpret_cast<unsigned char*>(dst)[i] = reinterpret_cast<const unsigned char*>(src)[i];
}

template <std::size_t Capacity>
__global__ void write_data(const __grid_constant__ data_parameter<Capacity> parameter) {
  write_words(parameter.dst, parameter.data, parameter.bytes);
}

__global__ void write_copied(std::uint32_t* dst, const std::uint32_t* src, std::uint32_t bytes) {
  write_words(dst, src, bytes);
}

/// One thread more than words.
transfers::launch_shape threads_for(std::size_t bytes) {
  const auto threads = static_cast<unsigned>(bytes / sizeof(std::uint32_t)) + 1;
  return {.grid = {(threads + threads_of_block - 1) / threads_of_block},
          .block = {threads_of_block}};
}

/// For with_capacity(): nvcc warns of a lambda whose parameters do not use its template argument.
struct kernel_of_capacity {
  template <std::size_t Capacity>
  transfers::function operator()() const {
    return transfers::cuda_function("write_data",
                                    reinterpret_cast<const void*>(&write_data<Capacity>));
  }
};

}  // namespace

writing_kernel write_parameter(const transfers::device& device, std::size_t bytes) {
  if (!device.description().cuda) return write_parameter_on_host(bytes);
  return {with_capacity(bytes, kernel_of_capacity{}), threads_for(bytes)};
}

writing_kernel write_from_memory(const transfers::device& device, std::size_t bytes) {
  if (!device.description().cuda) return write_from_memory_on_host(bytes);
  return {transfers::cuda_function("write_copied", reinterpret_cast<const void*>(&write_copied)),
          threads_for(bytes)};
}

}  // namespace bench_transfers::bench::subjects
