#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "src/transfers/cuda/check.hpp"

namespace transfers::detail {

constexpr unsigned threads_of_block = 256;
/// Measured on an H100: fewer blocks leave memory idle, more cost their start.
constexpr std::size_t most_blocks_of_loop = 16384;
/// As many as run at a time: each leaves a result, which the host adds.
constexpr std::size_t most_blocks_of_reduction = 1024;

inline unsigned blocks_for(std::size_t elements, std::size_t most) {
  return static_cast<unsigned>(
      std::min((elements + threads_of_block - 1) / threads_of_block, most));
}

/// Calls function(i) for the elements of this thread, as far apart as the grid is wide:
/// neighbouring threads access neighbouring elements.
template <class Function>
__device__ void for_own_elements(std::size_t elements, const Function& function) {
  const auto grid = std::size_t{gridDim.x} * threads_of_block;
  for (auto i = std::size_t{blockIdx.x} * threads_of_block + threadIdx.x; i < elements; i += grid)
    function(i);
}

template <class Function>
__global__ void call_for_each(std::size_t elements, Function function) {
  for_own_elements(elements, function);
}

/// Each block writes one result.
template <class Value, class At, class Operation>
__global__ void reduce_by_blocks(std::size_t elements, At at, Value neutral, Operation operation,
                                 Value* results) {
  __shared__ Value of_threads[threads_of_block];
  auto own = neutral;
  for_own_elements(elements, [&](std::size_t i) { own = operation(own, at(i)); });
  of_threads[threadIdx.x] = own;
  for (auto left = threads_of_block / 2; left > 0; left /= 2) {
    __syncthreads();
    if (threadIdx.x < left)
      of_threads[threadIdx.x] = operation(of_threads[threadIdx.x], of_threads[threadIdx.x + left]);
  }
  if (threadIdx.x == 0) results[blockIdx.x] = of_threads[0];
}

template <class T>
struct store {
  T* memory;
  T value;

  __device__ void operator()(std::size_t i) const { memory[i] = value; }
};

template <class T>
struct load {
  const T* memory;

  __device__ T operator()(std::size_t i) const { return memory[i]; }
};

template <class T, class Multiply>
struct load_product {
  const T *lhs, *rhs;
  Multiply multiply;

  __device__ auto operator()(std::size_t i) const { return multiply(lhs[i], rhs[i]); }
};

/// Loops over device memory in a stream's order; for the host see array/host_loops.hpp. Throw
/// out_of_memory, device_error.
class cuda_loops {
 public:
  explicit cuda_loops(cudaStream_t stream) : stream_(stream) {}

  /// Calls function(i) for each i below `elements`.
  template <class Function>
  void for_each_index(std::size_t elements, const Function& function) const {
    if (elements == 0) return;
    call_for_each<<<blocks_for(elements, most_blocks_of_loop), threads_of_block, 0, stream_>>>(
        elements, function);
    cuda_check(cudaGetLastError(), "launch of a kernel over elements");
  }

  template <class T>
  void fill(T* memory, std::size_t elements, const T& value) const {
    for_each_index(elements, store<T>{memory, value});
  }

  /// Waits for the result, as inner_product() does.
  template <class T, class Value, class Operation>
  Value reduce(const T* elements, std::size_t count, Value neutral, Operation operation) const {
    return reduced(load<T>{elements}, count, neutral, operation);
  }

  template <class T, class Value, class Add, class Multiply>
  Value inner_product(const T* lhs, const T* rhs, std::size_t count, Value neutral, Add add,
                      Multiply multiply) const {
    return reduced(load_product<T, Multiply>{lhs, rhs, multiply}, count, neutral, add);
  }

 private:
  struct free_in_order {
    cudaStream_t stream;
    void operator()(void* memory) const { cudaFreeAsync(memory, stream); }
  };

  /// The host adds what the blocks have left. There is at least one element.
  template <class At, class Value, class Operation>
  Value reduced(const At& at, std::size_t count, Value neutral, Operation operation) const {
    const auto blocks = blocks_for(count, most_blocks_of_reduction);
    std::vector<Value> results(blocks);
    const auto bytes = blocks * sizeof(Value);
    void* allocated = nullptr;
    // In stream order: cudaMalloc synchronises the device.
    cuda_check(cudaMallocAsync(&allocated, bytes, stream_), "cudaMallocAsync");
    const std::unique_ptr<void, free_in_order> memory(allocated, {stream_});
    reduce_by_blocks<<<blocks, threads_of_block, 0, stream_>>>(count, at, neutral, operation,
                                                               static_cast<Value*>(allocated));
    cuda_check(cudaGetLastError(), "launch of a reduction");
    cuda_check(cudaMemcpyAsync(results.data(), allocated, bytes, cudaMemcpyDeviceToHost, stream_),
               "cudaMemcpyAsync");
    cuda_check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    for (const auto& result : results) neutral = operation(neutral, result);
    return neutral;
  }

  cudaStream_t stream_;
};

}  // namespace transfers::detail
