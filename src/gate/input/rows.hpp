#pragma once

#include <simdjson.h>

#include "gate/run.hpp"

namespace gate {

/// Takes over the benchmarks of a file's `benchmarks`. Throws bad_input whose what() is the reason
/// alone.
void read_rows(const simdjson::dom::element& document, const metric& judged_by, run& into);

}  // namespace gate
