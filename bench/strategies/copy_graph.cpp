#include "bench/strategy/strategy.hpp"
#include "transfers/launch/graph.hpp"

namespace bench_transfers::bench::copy_graph_strategies {
namespace {

/// A copy that is captured once and replayed, to compare the cost of enqueueing it.
transfer prepare(const job& task) {
  const auto ends = ends_of(task, transfers::pinned(), task.direction);
  auto copy = transfer_between(ends);
  copy.enqueue = [replay = transfers::graph(task.stream, asynchronous_copy(task, ends))] {
    replay.enqueue();
  };
  copy.steps = enqueue_and_wait(task.stream, copy.enqueue);
  return copy;
}

const registration graph{strategy{
    .family = "copy",
    .parts = {method("graph")},
    .summary = "replay of a graph with one memcpy node, then wait",
    .calls = calls_for(transfers::pinned()) +
             "cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);\n"
             "cudaMemcpyAsync($[device|host], $[host|device], bytes, cudaMemcpyDefault, stream);\n"
             "cudaStreamEndCapture(stream, &graph); cudaGraphInstantiate(&replay, graph);\n"
             "cudaGraphLaunch(replay, stream); cudaStreamSynchronize(stream);",
    .variants = both_directions(),
    .role = roles::copy,
    .plainness = 1,
    .prepare = prepare,
    .needs = {.host = transfers::pinned()}}};

}  // namespace
}  // namespace bench_transfers::bench::copy_graph_strategies
