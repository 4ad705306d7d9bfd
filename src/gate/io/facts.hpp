#pragma once

#include <simdjson.h>

#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

/// Takes over what a file's `context` says about the run, all but its benchmarks, and about the
/// field judged by. Throws bad_input whose what() is the reason alone.
void read_context(const simdjson::dom::element& document, const metric& judged_by, run& into);

}  // namespace bench_transfers::gate
