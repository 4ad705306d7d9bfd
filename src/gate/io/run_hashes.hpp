#pragma once

#include <cstdint>
#include <optional>

#include "src/gate/model/run.hpp"
#include "src/result_file/contents.hpp"

namespace bench_transfers::gate {

/// When it began and what it is judged by. Two copies of a run have the same.
std::uint64_t content_of(const run& run);

/// Of all numbers of all repetitions; none if they tell nothing.
std::optional<std::uint64_t> measurements_of(const result_file::contents& file,
                                             const result_file::process_of_run& process);

}  // namespace bench_transfers::gate
