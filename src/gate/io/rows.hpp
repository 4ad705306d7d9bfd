#pragma once

#include <simdjson.h>

#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

/// Takes over the benchmarks of a file's `benchmarks`. Throws bad_input whose what() is the reason
/// alone.
void read_rows(const simdjson::dom::element& document, const metric& judged_by, run& into);

}  // namespace bench_transfers::gate
