#include "bench/strategy/strategy.hpp"
#include "transfers/launch/graph.hpp"

namespace bench_transfers::bench {
namespace {

/// A copy that is recorded once: does handing it over cost less the next times?
transfer prepare(const job& task) {
  const auto way = task.direction;
  const auto both = ends_of(task, transfers::pinned(), way);
  transfer copy;
  copy.source = both.source;
  copy.destination = both.destination;
  copy.enqueue = [replay = transfers::graph(task.stream, [&stream = task.stream, both, way] {
                    stream.copy(both.destination.data, both.source.data, both.source.bytes, way);
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
