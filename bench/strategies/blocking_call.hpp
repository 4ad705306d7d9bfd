#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/strategies/beside.hpp"
#include "bench/strategy/strategy.hpp"

// The calls of the family blocked. A new one is a function that prepares it and an entry of a list.

namespace bench_transfers::bench {

/// A call that another thread makes.
struct blocking_call {
  std::string name, summary;
  std::function<repeated_call(const job&)> prepare;
  std::optional<std::string> size = {};  ///< a part of its name: "64MiB_h2d"
  std::size_t host_bytes = 0;            ///< that it allocates
  bool staged_copier = false, page_locks = false;
  std::function<std::optional<std::string>(const transfers::device&)> why_unsupported = {};
};

/// Copies that return when they are done.
std::vector<blocking_call> blocking_copies();
/// Allocations of memory, and back.
std::vector<blocking_call> blocking_allocations();
std::vector<blocking_call> other_blocking_calls();

}  // namespace bench_transfers::bench
