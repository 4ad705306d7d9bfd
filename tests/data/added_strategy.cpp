// A new strategy is this one file, put into bench/strategies/. Here it is linked to a program of
// its own by the tests, which list it and run it.
#include "bench/strategy/directions.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

/// Two halves, one after the other: what does it cost to cut a copy in two?
transfer prepare(const job& wanted, transfers::host_memory_kind kind) {
  const auto way = direction_of(wanted.variant);
  const auto both = ends_of(wanted, kind, way);
  const auto copy_part = [&device = wanted.device, both, way](std::size_t from, std::size_t bytes) {
    device.copy(both.destination.data + from, both.source.data + from, bytes, way);
  };
  const auto half = wanted.bytes / 2;
  transfer halves;
  halves.source = both.source;
  halves.destination = both.destination;
  halves.steps = {
      {"first_half", [=] { copy_part(0, half); }},
      {"second_half", [=, bytes = wanted.bytes] { copy_part(half, bytes - half); }},
  };
  return halves;
}

const registration all(host_memory_family{.name = "copy_halves",
                                          .summary = "two cudaMemcpy of half the size",
                                          .variants = {"h2d", "d2h"},
                                          .kinds = {transfers::pageable},
                                          .prepare = prepare});

}  // namespace
}  // namespace bench_transfers::bench
