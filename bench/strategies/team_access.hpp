#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "bench/cpu/access.hpp"
#include "bench/strategy/strategy.hpp"
#include "src/machine/numa.hpp"

namespace bench_transfers::bench {

enum class team { one_thread, all_cores };

/// A kind of access, and who makes it.
struct team_access {
  cpu::access access;
  bench::team team;
  std::optional<machine::numa_node> node = {};  ///< whose CPUs make the accesses, if it matters
  /// Bytes that one thread accesses in one operation: about 0.3 ms, or 40 ms for uncached memory.
  std::size_t per_thread = std::size_t{4} << 20;
};

/// Accesses the host's block of a kind. `next_turn` is that of one kind of memory: each benchmark
/// and repetition continues after the previous one, where no data are cached if the block is larger
/// than the caches.
transfer prepare_access(const job& task, transfers::host_memory_kind kind,
                        const team_access& chosen, const std::shared_ptr<std::size_t>& next_turn);

}  // namespace bench_transfers::bench
