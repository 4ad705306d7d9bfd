#pragma once

#include <omp.h>
#include <thrust/execution_policy.h>
#include <thrust/system/omp/execution_policy.h>

#include <cstddef>
#include <future>
#include <system_error>

namespace transfers::detail {

/// Runs `work(policy)` on all cores, or on this one alone where starting threads would cost more.
/// `bytes`: about what is touched.
template <class Work>
auto where_worth_it(std::size_t bytes, Work&& work, std::size_t worth_it = std::size_t{1} << 20) {
  return bytes < worth_it ? work(thrust::seq) : work(thrust::omp::par);
}

/// The same for the caller's thread, which has other things to do afterwards. OpenMP's threads
/// belong to the thread that starts them, and spin for milliseconds after their work, in the way of
/// whatever comes next. So a thread of its own starts them, and they end with it. To send them home
/// from the caller's thread (omp_pause_resource_all) would end the caller's own OpenMP threads, and
/// their threadprivate data with them (OpenMP 5.0, section 3.2.44).
template <class Work>
auto on_all_cores(std::size_t bytes, Work&& work) {
  // Starting them takes as long as one thread takes for some MiB (docs/GPU_ARRAYS.md).
  constexpr std::size_t worth_it = std::size_t{8} << 20;
  // Within a parallel region of the caller's, its threads have the cores already.
  if (bytes < worth_it || omp_in_parallel() != 0) return work(thrust::seq);
  std::future<decltype(work(thrust::seq))> result;
  try {
    result = std::async(std::launch::async, [&, threads = omp_get_max_threads()] {
      omp_set_num_threads(threads);  // as the caller's thread has it
      return work(thrust::omp::par);
    });
  } catch (const std::system_error&) {  // no thread is to be had
    return work(thrust::seq);
  }
  return result.get();
}

}  // namespace transfers::detail
