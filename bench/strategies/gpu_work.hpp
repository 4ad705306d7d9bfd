#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bench/strategies/beside.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {

/// Work that programs give a GPU beside copies.
enum class work_kind {
  memory_chain,      ///< 40 short kernels, one after the other, that read and write 2 MiB each
  arithmetic_chain,  ///< 40 short kernels that calculate
  hbm,               ///< one kernel that reads and writes 256 MiB twice
  graph,             ///< the memory chain as one graph
  arithmetic_graph,  ///< the arithmetic chain likewise
};

/// "memory_chain"
std::string to_string(work_kind kind);

/// The priority of the work's stream over that of a job's.
enum class work_priority { equal, higher };

/// Made-up work of a GPU on a stream of its own. On the host device, the work is smaller.
class gpu_work {
 public:
  static constexpr unsigned kernels_of_chain = 40;

  /// Throws out_of_memory, device_error.
  gpu_work(const job& task, work_kind kind, work_priority priority);

  /// Launches the work and waits for it. Throws device_error.
  void run();
  /// Compares the words with what the runs since the last call must have made of them. One line if
  /// they differ. Nothing else is under way. Throws device_error.
  std::optional<std::string> find_damage();
  /// Makes the result of the runs until the next comparison wrong, for injected faults.
  void corrupt();

  /// Of device memory.
  [[nodiscard]] static std::size_t bytes(const transfers::device& device, work_kind kind);

 private:
  void write(std::uint32_t value);

  transfers::device& device_;
  std::size_t words_;
  std::uint64_t factors_of_run_ = 1;
  transfers::device_memory memory_;
  std::unique_ptr<transfers::stream> stream_;
  std::function<void()> enqueue_;
  std::uint64_t runs_ = 0;
};

/// The same to be timed beside other calls.
timed_work timed_gpu_work(const job& task, work_kind kind, work_priority priority);

}  // namespace bench_transfers::bench
