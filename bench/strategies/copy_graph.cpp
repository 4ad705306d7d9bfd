#include "bench/strategy/directions.hpp"
#include "bench/strategy/strategy.hpp"
#include "transfers/launch/graph.hpp"

namespace bench_transfers::bench {
namespace {

/// A copy that is recorded once: does handing it over cost less the next times?
transfer prepare(const job& wanted) {
  const auto way = direction_of(wanted.variant);
  const auto both = ends_of(wanted, transfers::pinned(), way);
  transfer copy;
  copy.source = both.source;
  copy.destination = both.destination;
  copy.enqueue = [replay = transfers::graph(wanted.stream, [&stream = wanted.stream, both, way] {
                    stream.copy(both.destination.data, both.source.data, both.source.bytes, way);
                  })] { replay.enqueue(); };
  copy.steps = enqueue_and_wait(wanted.stream, copy.enqueue);
  return copy;
}

const registration graph{strategy{.name = "copy/graph",
                                  .summary = "replay of a graph with one memcpy node, then wait",
                                  .variants = {"h2d", "d2h"},
                                  .host = transfers::pinned(),
                                  .prepare = prepare}};

}  // namespace
}  // namespace bench_transfers::bench
