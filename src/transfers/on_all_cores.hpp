#pragma once

#include <omp.h>
#include <thrust/execution_policy.h>
#include <thrust/system/omp/execution_policy.h>

#include <cstddef>

namespace transfers::detail {

/// Runs `work(policy)` on all cores, or on this one alone where starting threads would cost more.
/// `bytes`: about what is touched.
template <class Work>
auto where_worth_it(std::size_t bytes, Work&& work, std::size_t worth_it = std::size_t{1} << 20) {
  return bytes < worth_it ? work(thrust::seq) : work(thrust::omp::par);
}

/// The same for the caller's thread, which has other things to do afterwards: OpenMP's threads go
/// on spinning for milliseconds after their work, in the way of what is measured next, so they are
/// sent home (OpenMP 5.0, section 3.2.44).
template <class Work>
auto on_all_cores(std::size_t bytes, Work&& work) {
  struct pause {
    ~pause() { omp_pause_resource_all(omp_pause_hard); }
  } const afterwards;
  // Starting them again takes as long as one thread takes for some MiB (docs/GPU_ARRAYS.md).
  constexpr std::size_t worth_it = std::size_t{8} << 20;
  return where_worth_it(bytes, work, worth_it);
}

}  // namespace transfers::detail
