#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench::copy_async_strategies {
namespace {

/// Measures how soon the call returns (enqueue_ns), and how long the copy takes.
transfer prepare(const job& task, transfers::host_memory_kind kind) {
  const auto ends = ends_of(task, kind, task.direction);
  auto copy = transfer_between(ends);
  const auto enqueue = asynchronous_copy(task, ends);
  copy.steps = enqueue_and_wait(task.stream, enqueue);
  // With pageable memory the call waits for the CPU's staging, which the device's clock does not
  // see.
  if (is_page_locked(kind)) copy.enqueue = enqueue;
  return copy;
}

const registration copies(host_memory_family{
    .common =
        {.family = "copy_async",
         .summary = "cudaMemcpyAsync on a stream, then wait",
         .calls =
             "cudaMemcpyAsync($[device|host], $[host|device], bytes, cudaMemcpyDefault, stream);\n"
             "cudaStreamSynchronize(stream);",
         .about = "the same copies, and how soon the call returns",
         .variants = both_directions(),
         .role = roles::copy,
         .plainness = 2,
         .sampling = {.essential = true}},
    .kinds = {transfers::pageable, transfers::pinned()},
    .prepare = prepare});

}  // namespace
}  // namespace bench_transfers::bench::copy_async_strategies
