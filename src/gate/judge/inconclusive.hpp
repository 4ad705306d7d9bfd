#pragma once

#include <vector>

#include "src/gate/judge/answer.hpp"
#include "src/gate/judge/class_findings.hpp"

namespace bench_transfers::gate {

/// Why a verdict is impossible, whatever the benchmarks show.
std::vector<reason> reasons_of_runs(const report& answer);

/// Why a class is inconclusive. It has its counts already.
std::vector<reason> reasons_of_class(const class_answer& part, const class_findings& benchmarks,
                                     const report& answer);

/// The reasons of a class that count for the whole answer.
std::vector<reason> counting_reasons(const class_answer& part);

/// Whether more runs may show that something is slower.
bool may_show_more(const reason& cause);
/// Whether more runs may end the reason.
bool may_end(const reason& cause);

}  // namespace bench_transfers::gate
