#include "directions.hpp"
#include "strategy.hpp"

namespace bench {
namespace {

transfer prepare(const job& wanted, transfers::host_memory_kind kind) {
  const auto way = direction_of(wanted.variant);
  const auto [source, destination] = ends_of(wanted, kind, way);
  transfer copy;
  copy.steps = {{"copy", [&device = wanted.device, source, destination, way] {
                   device.copy(destination.data, source.data, source.bytes, way);
                 }}};
  copy.source = source;
  copy.destination = destination;
  copy.enqueue = [&stream = wanted.stream, source, destination, way] {
    stream.copy(destination.data, source.data, source.bytes, way);
  };
  return copy;
}

const registration all([](registry& strategies) {
  for (const auto kind : transfers::all_host_memory_kinds())
    strategies.push_back({
        .name = "copy/" + to_string(kind),
        .summary = "cudaMemcpy, " + describe(kind),
        .variants = {"h2d", "d2h"},
        .host = kind,
        .prepare = [kind](const job& wanted) { return prepare(wanted, kind); },
    });
});

}  // namespace
}  // namespace bench
