#pragma once

#include <simdjson.h>

#include "gate/run.hpp"

namespace gate {

/// Takes over what a file's `context` says about the run, all but its benchmarks. Throws bad_input
/// whose what() is the reason alone.
void read_context(const simdjson::dom::element& document, run& into);

}  // namespace gate
