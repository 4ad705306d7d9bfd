#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

/// Does nothing, to measure the harness itself: what is left is the cost of reading the clock
/// ("single") and of calling a step ("batched", where one clock reading serves many operations).
transfer prepare(const job& task) {
  transfer nothing;
  nothing.steps = {{"nothing", [] {}}};
  nothing.timing.batched = task.variant == "batched";
  return nothing;
}

const registration nothing_at_all(strategy{.family = "null",
                                           .summary = "nothing: what the harness itself costs",
                                           .variants = named({"single", "batched"}),
                                           .role = roles::floor,
                                           .prepare = prepare,
                                           .sampling = {.sized = false, .essential = true}});

}  // namespace
}  // namespace bench_transfers::bench
