#pragma once

#include <omp.h>
#include <thrust/execution_policy.h>
#include <thrust/system/omp/execution_policy.h>

#include <cstddef>
#include <future>
#include <system_error>

namespace transfers::detail {

/// Runs `work(policy)` on all cores, or on one core if starting threads would take longer. `bytes`
/// is the approximate amount of memory that it touches.
template <class Work>
auto where_worth_it(std::size_t bytes, Work&& work, std::size_t worth_it = std::size_t{1} << 20) {
  return bytes < worth_it ? work(thrust::seq) : work(thrust::omp::par);
}

/// The same for the caller's thread, which continues with other work afterwards. OpenMP threads
/// belong to the thread that starts them and spin for milliseconds after their work, which slows
/// down the work that follows. Therefore a new thread starts them, and they end with it. Ending
/// them from the caller's thread (omp_pause_resource_all) would also end the caller's own OpenMP
/// threads and their threadprivate data (OpenMP 5.0, section 3.2.44).
template <class Work>
auto on_all_cores(std::size_t bytes, Work&& work) {
  // Starting threads takes as long as one thread needs for a few MiB (docs/GPU_ARRAYS.md).
  constexpr std::size_t worth_it = std::size_t{8} << 20;
  // Within a parallel region of the caller, its threads already occupy the cores.
  if (bytes < worth_it || omp_in_parallel() != 0) return work(thrust::seq);
  std::future<decltype(work(thrust::seq))> result;
  try {
    result = std::async(std::launch::async, [&, threads = omp_get_max_threads()] {
      omp_set_num_threads(threads);  // the caller's setting
      return work(thrust::omp::par);
    });
  } catch (const std::system_error&) {  // no thread is available
    return work(thrust::seq);
  }
  return result.get();
}

}  // namespace transfers::detail
