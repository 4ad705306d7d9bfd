#pragma once

#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/system/cuda/execution_policy.h>

#include <cstddef>

namespace transfers::detail {

/// Loops over device memory in a stream's order, by Thrust; for the host see array/host_loops.hpp.
/// Throw what Thrust throws (thrust_errors.hpp).
class cuda_loops {
 private:
  /// With par_nosync, Thrust allocates its temporary memory in stream order (cudaMallocAsync); with
  /// par, by cudaMalloc, which synchronises the device.
  [[nodiscard]] auto policy() const { return thrust::cuda::par_nosync.on(stream_); }

 public:
  explicit cuda_loops(cudaStream_t stream) : stream_(stream) {}

  /// Calls function(i) for each i below `elements`.
  template <class Function>
  void for_each_index(std::size_t elements, const Function& function) const {
    thrust::for_each_n(policy(), thrust::counting_iterator<std::size_t>(0), elements, function);
  }

  template <class T>
  void fill(T* memory, std::size_t elements, const T& value) const {
    thrust::fill_n(policy(), memory, elements, value);
  }

  /// Waits for the result, as inner_product() does.
  template <class T, class Value, class Operation>
  Value reduce(const T* elements, std::size_t count, Value neutral, Operation operation) const {
    return thrust::reduce(policy(), elements, elements + count, neutral, operation);
  }

  template <class T, class Value, class Add, class Multiply>
  Value inner_product(const T* lhs, const T* rhs, std::size_t count, Value neutral, Add add,
                      Multiply multiply) const {
    return thrust::inner_product(policy(), lhs, lhs + count, rhs, neutral, add, multiply);
  }

 private:
  cudaStream_t stream_;
};

}  // namespace transfers::detail
