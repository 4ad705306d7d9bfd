#pragma once

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

/// Makes a baseline of runs. Throws bad_input: fewer than three runs, or more than a thousand; not
/// comparable; faults injected on purpose; fingerprints that differ in other keys than
/// `allow_different`; no benchmark that three runs have measured.
pin_result pin(std::span<const run> runs, const metric& judged_by,
               const std::set<std::string>& allow_different = {});

}  // namespace bench_transfers::gate
