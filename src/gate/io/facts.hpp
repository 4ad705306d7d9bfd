#pragma once

#include "src/gate/model/run.hpp"
#include "src/result_file/contents.hpp"

namespace bench_transfers::gate {

/// Adds the facts of the run, without its benchmarks, and the declaration of the field judged by.
/// Throws bad_input whose what() is the reason alone.
void read_facts(const result_file::contents& file, const metric& judged_by, run& run);

}  // namespace bench_transfers::gate
