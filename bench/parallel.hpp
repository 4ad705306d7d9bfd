#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace bench {

/// Calls work(first, count) for parts of 0 … total-1, on all cores where there is enough to do, and
/// returns when all are done. `work` must not throw.
template <class Work>
void in_parallel(std::size_t total, std::size_t worth_a_thread, Work&& work) {
  const auto cores = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  const auto part = std::max(worth_a_thread, total / cores + 1);
  std::vector<std::jthread> others;
  std::size_t first = 0;
  for (; total - first > part; first += part)
    others.emplace_back([&work, first, part] { work(first, part); });
  work(first, total - first);
}

}  // namespace bench
