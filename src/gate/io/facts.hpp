#pragma once

#include "src/gate/model/run.hpp"
#include "src/result_file/contents.hpp"

namespace bench_transfers::gate {

/// Takes over what a file says about the run, all but its benchmarks, and about the field judged
/// by. Throws bad_input whose what() is the reason alone.
void read_facts(const result_file::contents& file, const metric& judged_by, run& into);

}  // namespace bench_transfers::gate
