#include "bench/strategy/directions.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

constexpr auto kind = transfers::pinned();

transfer prepare(const job& wanted, unsigned blocks) {
  const auto both = ends_of(wanted, kind, direction_of(wanted.variant));
  auto* const to = seen_by_kernel(both.destination);
  auto* const from = seen_by_kernel(both.source);
  transfer access;
  access.source = both.source;
  access.destination = both.destination;
  access.enqueue = [&stream = wanted.stream, to, from, bytes = wanted.bytes, blocks] {
    stream.copy_by_kernel(to, from, bytes, blocks);
  };
  access.multiprocessors = transfers::copy_kernel_multiprocessors(wanted.device.description(), to,
                                                                  from, wanted.bytes, blocks);
  access.steps = enqueue_and_wait(wanted.stream, access.enqueue);
  return access;
}

const struct all {
  all() {
    for (const unsigned blocks : {1U, 2U, 4U, 8U, 16U, 32U}) {
      const auto grid = std::to_string(blocks) + (blocks == 1 ? "_block" : "_blocks");
      registration{strategy{
          .name = "zero_copy_grid/" + grid + "/" + to_string(kind),
          .summary = "a kernel of " + std::to_string(blocks) +
                     (blocks == 1 ? " block" : " blocks") +
                     " reads or writes pinned memory in place",
          .variants = {"read", "write"},
          .host = kind,
          .prepare = [blocks](const job& wanted) { return prepare(wanted, blocks); },
          .smallest = std::size_t{64} << 10,
          .largest = std::size_t{256} << 20,
          .cold = false,
          .sparse = 3,
          .why_unsupported = [](const transfers::device& device) -> std::optional<std::string> {
            if (device.description().cuda) return std::nullopt;
            return "the host device's kernels run on all cores; it has no multiprocessors to "
                   "choose";
          }}};
    }
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
