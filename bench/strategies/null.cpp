#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench::null_strategies {
namespace {

/// Does nothing, to measure the harness itself: the cost of reading the clock ("single") and of
/// calling a step ("batched", with two clock readings for many operations).
transfer prepare(const job& task) {
  transfer nothing;
  nothing.steps = {{"nothing", [] {}}};
  nothing.timing.batched = task.variant == "batched";
  return nothing;
}

const registration floor(strategy{
    .family = "null",
    .summary = "nothing: what the harness itself costs",
    .variants = named({"single", "batched"}),
    .role = roles::floor,
    .prepare = prepare,
    .sampling = {.sized = false, .essential = true, .profiles = {{"sweep", {}}}}});

}  // namespace
}  // namespace bench_transfers::bench::null_strategies
