#include "bench/strategy/strategy.hpp"
#include "transfers/launch/graph.hpp"

namespace bench_transfers::bench {
namespace {

/// A copy that is captured once and replayed, to compare the cost of enqueueing it.
transfer prepare(const job& task) {
  const auto direction = task.direction;
  const auto ends = ends_of(task, transfers::pinned(), direction);
  transfer copy;
  copy.source = ends.source;
  copy.destination = ends.destination;
  copy.enqueue = [replay = transfers::graph(task.stream, [&stream = task.stream, ends, direction] {
                    stream.copy(ends.destination.data, ends.source.data, ends.source.bytes,
                                direction);
                  })] { replay.enqueue(); };
  copy.steps = enqueue_and_wait(task.stream, copy.enqueue);
  return copy;
}

const registration graph{strategy{.family = "copy",
                                  .parts = {method("graph")},
                                  .summary = "replay of a graph with one memcpy node, then wait",
                                  .variants = both_directions(),
                                  .role = roles::copy,
                                  .plainness = 1,
                                  .prepare = prepare,
                                  .needs = {.host = transfers::pinned()}}};

}  // namespace
}  // namespace bench_transfers::bench
