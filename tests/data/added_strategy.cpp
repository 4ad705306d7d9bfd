// A new strategy is this one file, put into bench/strategies/. Here it is linked to a program of
// its own by the tests, which list it and run it.
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

/// Two halves, one after the other: what does it cost to cut a copy in two?
transfer prepare(const job& task, transfers::host_memory_kind kind) {
  const auto both = ends_of(task, kind, task.direction);
  const auto copy_part = [&device = task.device, both, direction = task.direction](
                             std::size_t offset, std::size_t bytes) {
    device.copy(both.destination.data + offset, both.source.data + offset, bytes, direction);
  };
  const auto half = task.bytes / 2;
  transfer halves;
  halves.source = both.source;
  halves.destination = both.destination;
  halves.steps = {
      {"first_half", [=] { copy_part(0, half); }},
      {"second_half", [=, bytes = task.bytes] { copy_part(half, bytes - half); }},
  };
  return halves;
}

const registration halves(host_memory_family{.family = "copy_halves",
                                             .summary = "two cudaMemcpy of half the size",
                                             .variants = both_directions(),
                                             .role = roles::copy,
                                             .kinds = {transfers::pageable},
                                             .prepare = prepare});

}  // namespace
}  // namespace bench_transfers::bench
