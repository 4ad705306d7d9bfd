// Operations that settle never feed a metric, whatever strategies collect by themselves.
#include <algorithm>

#include "bench/harness/measure.hpp"
#include "bench/strategy/strategy.hpp"
#include "tests/basics.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::settling_test {
namespace {

metric_values derived(const transfer& ready) {
  metric_values values;
  for (const auto& [metric, value] : ready.derive({})) values[metric.name] = value;
  return values;
}

TEST(settling, leaves_no_trace_in_what_a_strategy_collects) {
  constexpr std::size_t most = std::size_t{1} << 18;
  const auto device = transfers::open_host_device();
  buffers memory(*device, 5);
  memory.reserve_device(2 * buffers::distance(most));
  const auto stream = device->create_stream();
  std::size_t collecting = 0;
  for (const auto& measured : registered_strategies()) {
    if (measured.concurrent || measured.needs.other_devices || why_unsupported(measured, *device))
      continue;
    SCOPED_TRACE(measured.name());
    const auto bytes = std::min(most, measured.sampling.largest);
    if (const auto kind = measured.needs.host)
      memory.reserve_host(*kind, measured.needs.host_payloads * buffers::distance(bytes));
    const auto last = measured.variants.empty() ? "" : measured.variants.back().name;
    try {
      auto ready = measured.prepare({.device = *device,
                                     .memory = memory,
                                     .stream = *stream,
                                     .variant = last,
                                     .bytes = measured.sampling.sized ? bytes : 0});
      if (!ready.derive) continue;
      const auto before = derived(ready);
      {
        const auto conditions = conditions_of(ready);
        settle(ready, {.settling = 3}, line_preparation(cache_state::warm));
      }
      if (ready.timing.forget_settling) ready.timing.forget_settling();
      EXPECT_EQ(derived(ready), before);
      if (ready.timing.forget_settling) ++collecting;
      if (ready.check.restore) ready.check.restore();
    } catch (const transfers::unsupported&) {
      continue;  // as several devices
    }
  }
  EXPECT_GE(collecting, 3U);
}

}  // namespace
}  // namespace bench_transfers::bench::settling_test
