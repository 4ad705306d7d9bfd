#pragma once

#include <vector>

#include "src/result_file/contents.hpp"

namespace bench_transfers::result_file {

/// Removes the repetitions that do not count because the benchmark has less disturbed ones. Where
/// all of them are spoilt, they become failures with the code "disturbed".
void leave_out_disturbed(std::vector<row>& rows);

}  // namespace bench_transfers::result_file
