#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "src/gate/model/baseline.hpp"
#include "src/gate/model/reason.hpp"

namespace bench_transfers::gate {

struct pin_result {
  gate::baseline baseline;
  std::vector<pin_warning> warnings;
};

struct pin_permissions {
  std::set<std::string> allow_different = {};  ///< keys of fingerprints
  bool allow_disturbed = false;                ///< runs that were throttled or whose link changed
  bool allow_noisy = false;                    ///< a link that cannot be judged, or few figures
};

/// So many sessions show which benchmarks are at another level in each.
inline constexpr std::size_t recommended_sessions = 4;

/// Throws bad_input if there are fewer runs than a baseline needs, or more than it can have.
void require_count(std::size_t runs);

/// Makes a baseline of runs. Throws bad_input: require_count; not comparable; faults injected on
/// purpose; disturbed; fingerprints that differ in other keys than permitted; no benchmark that
/// three runs have measured, or fewer of these than of the others.
pin_result pin(std::span<const run> runs, const metric& judged_by,
               const pin_permissions& permissions = {});

}  // namespace bench_transfers::gate
