// `copy/pinned` against the bare call of the CUDA runtime, timed in turn. docs/METHOD.md has the
// result and results/ the files.
#include <cuda_runtime_api.h>

#include <stdexcept>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

transfer prepare(const job& task) {
  const auto kind = transfers::pinned();
  auto copy = synchronous_copy(task, kind);
  const auto [source, destination] = ends_of(task, kind, task.direction);
  copy.against = {{.name = "bare",
                   .description = "cudaMemcpy alone, timed in turn",
                   .run =
                       [source, destination] {
                         if (cudaMemcpy(destination.data, source.data, source.bytes,
                                        cudaMemcpyDefault) != cudaSuccess)
                           throw std::runtime_error("cudaMemcpy failed");
                       }},
                  {.name = "same",
                   .description = "the same strategy once more, timed in turn",
                   .run = copy.steps.front().run}};
  return copy;
}

const registration against_bare(strategy{
    .family = "against_bare",
    .summary = "cudaMemcpy of pinned memory, against the bare call",
    .variants = both_directions(),
    .role = {"other", "against bare calls", result_file::table::times},
    .prepare = prepare,
    .needs = {.host = transfers::pinned()}});

}  // namespace
}  // namespace bench_transfers::bench
