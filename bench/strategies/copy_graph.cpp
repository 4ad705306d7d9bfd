#include "directions.hpp"
#include "strategy.hpp"
#include "transfers/graph.hpp"

namespace bench {
namespace {

/// A copy that is recorded once: does handing it over cost less the next times?
transfer prepare(const job& wanted, transfers::host_memory_kind kind) {
  const auto way = direction_of(wanted.variant);
  const auto both = ends_of(wanted, kind, way);
  transfer copy;
  copy.source = both.source;
  copy.destination = both.destination;
  copy.enqueue = [replay = transfers::graph(wanted.stream, [&stream = wanted.stream, both, way] {
                    stream.copy(both.destination.data, both.source.data, both.source.bytes, way);
                  })] { replay.enqueue(); };
  copy.steps = enqueue_and_wait(wanted.stream, copy.enqueue);
  return copy;
}

const registration all(host_memory_family{
    .name = "copy/graph",
    .summary = "replay of a graph with one memcpy node, then wait",
    .variants = {"h2d", "d2h"},
    .kinds = {transfers::pinned()},
    .prepare = prepare,
    .adjust = [](strategy& made) { made.essential = false; }});

}  // namespace
}  // namespace bench
