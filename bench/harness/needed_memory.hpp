#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "bench/harness/plan.hpp"
#include "bench/strategy/buffers.hpp"

namespace bench_transfers::bench {

/// A block of memory on one device that benchmarks share.
struct shared_block {
  std::function<bool(const benchmark_case&)> is_used_by;
  std::size_t requirements::*payloads;  ///< of a benchmark in this block
  std::function<void(buffers&, std::size_t)> reserve;
  bool is_of_device = false;

  /// What a benchmark that uses it needs of it.
  [[nodiscard]] std::size_t bytes_for(const benchmark_case& planned) const;
  /// What it takes for all benchmarks of at most this size.
  [[nodiscard]] std::size_t bytes_for(const std::vector<benchmark_case>& planned,
                                      std::size_t largest_size = SIZE_MAX) const;
};

/// The blocks that benchmarks need on a device.
std::vector<shared_block> blocks_of(const std::vector<benchmark_case>& planned, std::size_t device);

/// Whether a benchmark uses a shared block.
bool uses_shared_memory(const benchmark_case& planned);

/// The host's memory that benchmarks need on so many devices, whose own memory it may be as well.
class needed_memory {
 public:
  needed_memory(const std::vector<benchmark_case>& planned, std::size_t devices,
                bool device_is_host);

  /// In blocks, and what operations allocate in addition.
  [[nodiscard]] std::size_t total() const { return blocks_ + allocated_; }
  [[nodiscard]] std::size_t kinds() const { return kinds_; }
  /// Whether no benchmark needs more than this one: of a block, or allocated, whichever is larger.
  [[nodiscard]] bool is_largest(const benchmark_case& planned) const;

 private:
  [[nodiscard]] std::size_t bytes_in_block(const benchmark_case& planned) const;
  [[nodiscard]] std::size_t bytes_allocated(const benchmark_case& planned) const;

  bool device_is_host_;
  std::size_t blocks_ = 0;         ///< bytes of the blocks of all devices
  std::size_t kinds_ = 0;          ///< of host memory
  std::size_t largest_block_ = 0;  ///< bytes for a single benchmark
  std::size_t allocated_ = 0;      ///< bytes, for a single benchmark: each gives them back
};

}  // namespace bench_transfers::bench
