#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {

/// Memory, or a page lock, that is released with its last owner.
struct holding {
  std::shared_ptr<void> owner;
  std::byte* data = nullptr;
};

/// Allocates memory again and again; the holding releases it.
struct source {
  std::function<holding()> take;
  std::function<void()> before = [] {};  ///< runs before `take`, untimed
};

enum class resource {
  host_memory,
  device_memory,
  page_lock,  ///< of memory that exists: the device must support that
};

/// Where released memory goes: to the system, or to a pool that keeps it for the next allocation.
enum class release_target { system, pool };

/// A call of CUDA, and the release that brought it, if that is a later one.
struct own_call {
  std::string name;
  std::optional<machine::cuda_release> since = {};
};

/// A source of memory, and its names.
struct allocator {
  name_part name;
  std::string summary;
  std::function<source(const job&)> open;
  resource gives = resource::host_memory;
  release_target target = release_target::system;
  std::optional<transfers::host_memory_kind> kind = {};  ///< that the device must support
  std::size_t smallest = 4096;
  std::optional<own_call> cuda = {};  ///< other devices have no counterpart
  unsigned plainness = 1;
  unsigned procedure = 1;  ///< of an allocation
};

std::vector<allocator> all_allocators();

}  // namespace bench_transfers::bench
