#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "src/gate/model/baseline.hpp"
#include "src/gate/model/reason.hpp"

namespace bench_transfers::gate {

struct pinned {
  baseline made;
  std::vector<pin_warning> warnings;
};

/// A baseline from so many processes. Throws bad_input: fewer than three, or more than a thousand;
/// not comparable; faults injected on purpose; fingerprints that differ, but for the keys
/// `allowed`; no benchmark that three processes have measured.
pinned pin(std::span<const run> runs, const metric& judged_by,
           const std::set<std::string>& allowed = {});

}  // namespace bench_transfers::gate
