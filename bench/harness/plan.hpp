#pragma once

#include <string>
#include <vector>

#include "bench/harness/settings.hpp"
#include "bench/strategy/buffers.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {

/// One benchmark: one name in the result file.
struct benchmark_case {
  std::string
      name;  ///< strategy/variant/size, and "/cold" when caches are flushed before each operation
  const strategy* of;
  std::string variant;
  std::size_t bytes;
  cache_state cache;
};

/// Something asked for that cannot run here; `name` is a benchmark's name or the front of several.
struct skipped_case {
  std::string name;
  std::string reason;
};

struct plan {
  std::vector<benchmark_case> cases;
  std::vector<skipped_case> skipped;
};

/// Those that --strategies names, with or without a variant, by their names' beginnings; all when
/// it names none. Throws usage_error for unknown ones.
std::vector<const strategy*> chosen_strategies(const registry& all,
                                               const std::vector<std::string>& wanted);

/// Strategies × variants × sizes × cache states, less what the command line leaves out; what the
/// device cannot do goes to `skipped`. Throws usage_error for unknown strategies or a bad filter.
plan make_plan(const registry& strategies, const transfers::device& device, const options& chosen);

/// Reserves the buffers that the plan needs. Sizes that do not fit are moved to `skipped`, largest
/// first, until the rest does.
void reserve_buffers(plan& all, const transfers::device& device, buffers& memory);

}  // namespace bench_transfers::bench
