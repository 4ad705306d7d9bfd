#pragma once

#include <string>
#include <vector>

#include "bench/harness/settings.hpp"
#include "bench/strategy/buffers.hpp"
#include "bench/strategy/strategy.hpp"
#include "src/common/message.hpp"
#include "src/result_file/format.hpp"

namespace bench_transfers::bench {

/// One benchmark: one name in the result file.
struct benchmark_case : result_file::benchmark {
  const bench::strategy* measured = nullptr;

  [[nodiscard]] std::size_t bytes() const { return size_bytes.value_or(0); }
};

/// A benchmark that was asked for and cannot run here; `name` is its name or the front of several.
struct skipped_case {
  std::string name;
  common::message reason;
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
