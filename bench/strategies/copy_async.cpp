#include "directions.hpp"
#include "strategy.hpp"

namespace bench {
namespace {

/// How soon does the call return (enqueue_ns), and how long until the data are there?
transfer prepare(const job& wanted, transfers::host_memory_kind kind) {
  const auto way = direction_of(wanted.variant);
  const auto [source, destination] = ends_of(wanted, kind, way);
  transfer copy;
  copy.enqueue = [&stream = wanted.stream, source, destination, way] {
    stream.copy(destination.data, source.data, source.bytes, way);
  };
  copy.steps = {{"enqueue", copy.enqueue},
                {"wait", [&stream = wanted.stream] { stream.synchronize(); }}};
  copy.source = source;
  copy.destination = destination;
  copy.batched = false;
  return copy;
}

const registration all([](registry& strategies) {
  for (const auto kind : {transfers::pageable, transfers::pinned()})
    strategies.push_back({
        .name = "copy_async/" + to_string(kind),
        .summary = "cudaMemcpyAsync on a stream, then wait, " + describe(kind),
        .variants = {"h2d", "d2h"},
        .host = kind,
        .prepare = [kind](const job& wanted) { return prepare(wanted, kind); },
    });
});

}  // namespace
}  // namespace bench
