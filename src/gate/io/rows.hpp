#pragma once

#include "src/gate/model/run.hpp"
#include "src/result_file/contents.hpp"

namespace bench_transfers::gate {

/// Adds the benchmarks of a file's rows. Throws bad_input whose what() is the reason alone.
void read_rows(const result_file::contents& file, const metric& judged_by, run& run);

}  // namespace bench_transfers::gate
