#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

#include <new>
#include <string>

#include "../pattern.hpp"
#include "cuda_pattern.hpp"
#include "transfers/error.hpp"

namespace transfers::detail {
namespace {

/// Thrust reports a failure of its own as thrust::system_error.
template <class Call>
auto translated(const char* what, Call&& call) {
  try {
    return call();
  } catch (const std::bad_alloc& failure) {
    throw out_of_memory(std::string(what) + ": " + failure.what());
  } catch (const thrust::system_error& failure) {
    throw device_error(std::string(what) + ": " + failure.what(), cudaFree(nullptr) != cudaSuccess);
  }
}

}  // namespace

void write_cuda_pattern(cudaStream_t stream, std::byte* block, std::size_t offset,
                        std::size_t bytes, pattern what) {
  translated("writing the test pattern",
             [&] { write_pattern(thrust::cuda::par.on(stream), block, offset, bytes, what); });
}

pattern_check check_cuda_pattern(cudaStream_t stream, const std::byte* block, std::size_t offset,
                                 std::size_t bytes, pattern what) {
  return translated("checking the test pattern", [&] {
    return check_pattern(thrust::cuda::par.on(stream), block, offset, bytes, what);
  });
}

}  // namespace transfers::detail
