#include <string>
#include <utility>

#include "bench/strategy/strategy.hpp"
#include "bench/subjects/batch_copy.hpp"

namespace bench_transfers::bench::copy_batch_strategies {
namespace {

using subjects::source_access_order;

/// Measures how soon the call returns (enqueue_ns), and how long the copy takes.
transfer prepare(const job& task, transfers::host_memory_kind kind, source_access_order order) {
  const auto ends = ends_of(task, kind, task.direction);
  auto copy = transfer_between(ends);
  const auto enqueue = subjects::batched_copy(
      task.device, task.stream,
      {ends.destination.data, ends.source.data, task.bytes, task.direction}, order);
  copy.steps = enqueue_and_wait(task.stream, enqueue);
  // The device's clock does not see the CPU's part of a copy of pageable memory, nor a copy that
  // begins before the stream reaches it.
  if (is_page_locked(kind) && order == source_access_order::stream) copy.enqueue = enqueue;
  return copy;
}

const result_file::role role{"batched_copy", "one copy by cudaMemcpyBatchAsync",
                             result_file::table::directions};

strategy copy_in_order(transfers::host_memory_kind kind, source_access_order order,
                       const std::string& cuda_name) {
  const auto name = to_string(order);
  return {
      .family = "copy_batch",
      .parts = {in_memory(kind), setting(name)},
      .summary = "one copy by cudaMemcpyBatchAsync, source-access order " + name + ", then wait, " +
                 transfers::describe(kind),
      .calls = calls_for(kind) + "cudaMemcpyAttributes order{" + cuda_name +
               "};\n"
               "cudaMemcpyBatchAsync(&$[device|host], &$[host|device], &bytes, 1, order, stream);\n"
               "cudaStreamSynchronize(stream);",
      .variants = both_directions(),
      .role = role,
      .plainness = 3,
      .prepare = [kind, order](const job& task) { return prepare(task, kind, order); },
      .needs = {.host = kind, .cuda = cuda_with::batches},
      .sampling = {.cold = false}};
}

const struct copy_batch_strategies {
  copy_batch_strategies() {
    for (const auto kind : {transfers::pageable, transfers::pinned()})
      for (const auto& [order, cuda_name] :
           {std::pair{source_access_order::stream, "cudaMemcpySrcAccessOrderStream"},
            std::pair{source_access_order::during_api_call,
                      "cudaMemcpySrcAccessOrderDuringApiCall"},
            std::pair{source_access_order::any, "cudaMemcpySrcAccessOrderAny"}})
        registration{copy_in_order(kind, order, cuda_name)};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::copy_batch_strategies
