#include <omp.h>

#include <chrono>
#include <filesystem>
#include <latch>
#include <system_error>
#include <thread>
#include <vector>

#include "bench/subjects/thrust_containers.hpp"

namespace bench_transfers::bench::subjects {
namespace {

std::ptrdiff_t count_threads() {
  std::error_code unknown;
  return std::distance(std::filesystem::directory_iterator("/proc/self/task", unknown), {});
}

/// Starts so many threads at a time and ends them. Throws std::system_error if there are too few.
void try_threads(int count) {
  const auto before = count_threads();
  {
    std::latch end(1);
    std::vector<std::jthread> threads;
    try {
      for (int i = 0; i < count; ++i) threads.emplace_back([&end] { end.wait(); });
    } catch (...) {
      end.count_down();
      throw;
    }
    end.count_down();
  }
  // The kernel counts a thread for a moment after it was joined.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (count_threads() > before && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
}

/// Starts the threads of OpenMP, which stay. Where they cannot be started, libgomp would end the
/// program; this throws std::system_error.
void start_openmp() {
  const auto threads = omp_get_max_threads();
  try_threads(threads - 1);
#pragma omp parallel num_threads(threads)
  {}
}

thrust_copy copy_with_thrust_on_host(std::string_view container, std::span<float> host,
                                     transfers::direction direction) {
  [[maybe_unused]] static const bool started = (start_openmp(), true);
  return copy_with_containers<thrust::universal_vector<float>>(container, host, direction);
}

}  // namespace

thrust_copy copy_with_thrust(const transfers::device& device, std::string_view container,
                             std::span<float> host, transfers::direction direction) {
  return device.description().kind == "cuda" ? copy_with_thrust_on_cuda(container, host, direction)
                                             : copy_with_thrust_on_host(container, host, direction);
}

}  // namespace bench_transfers::bench::subjects
