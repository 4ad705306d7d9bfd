// A complete example of a strategy: to add it to the suite, put this file into bench/strategies/.
// The tests link it to a separate program, list it and run it.
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

/// Copies the first half, then the second: measures the cost of cutting a copy in two.
transfer prepare(const job& task, transfers::host_memory_kind kind) {
  const auto ends = ends_of(task, kind, task.direction);
  const auto copy_part = [&device = task.device, ends, direction = task.direction](
                             std::size_t offset, std::size_t bytes) {
    device.copy(ends.destination.data + offset, ends.source.data + offset, bytes, direction);
  };
  const auto half = task.bytes / 2;
  transfer halves;
  halves.source = ends.source;
  halves.destination = ends.destination;
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
