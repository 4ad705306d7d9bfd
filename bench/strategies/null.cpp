#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

/// Does nothing, to measure the harness itself: what is left is the cost of reading the clock
/// ("single") and of calling a step ("batched", where one clock reading serves many operations).
transfer prepare(const job& wanted) {
  transfer nothing;
  nothing.steps = {{"nothing", [] {}}};
  nothing.batched = wanted.variant == "batched";
  return nothing;
}

const registration one(strategy{.name = "null",
                                .summary = "nothing: what the harness itself costs",
                                .variants = {"single", "batched"},
                                .sized = false,
                                .host = std::nullopt,
                                .prepare = prepare,
                                .essential = true});

}  // namespace
}  // namespace bench_transfers::bench
