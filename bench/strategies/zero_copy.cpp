#include "directions.hpp"
#include "strategy.hpp"
#include "transfers/error.hpp"

namespace bench {
namespace {

using transfers::pin_flags;

transfer prepare(const job& wanted, transfers::host_memory_kind kind) {
  const auto [source, destination] = ends_of(wanted, kind, direction_of(wanted.variant));
  const auto seen_by_kernel = [](const payload& end) {
    if (end.on_device) return end.data;
    if (end.host->on_device() == nullptr)
      throw transfers::unsupported("the device has no address for this memory");
    return end.host->on_device();
  };
  transfer access;
  access.enqueue = [&stream = wanted.stream, to = seen_by_kernel(destination),
                    from = seen_by_kernel(source),
                    bytes = wanted.bytes] { stream.copy_by_kernel(to, from, bytes); };
  access.steps = {{"enqueue", access.enqueue},
                  {"wait", [&stream = wanted.stream] { stream.synchronize(); }}};
  access.source = source;
  access.destination = destination;
  access.batched = false;
  return access;
}

const registration all([](registry& strategies) {
  for (const auto kind : {transfers::registered, transfers::pinned(pin_flags::mapped),
                          transfers::pinned(pin_flags::mapped | pin_flags::write_combined)})
    strategies.push_back({
        .name = "zero_copy/" + to_string(kind),
        .summary = "a kernel reads or writes host memory in place, " + describe(kind),
        .variants = {"read", "write"},
        .host = kind,
        .prepare = [kind](const job& wanted) { return prepare(wanted, kind); },
    });
});

}  // namespace
}  // namespace bench
