#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench::zero_copy_grid_strategies {
namespace {

constexpr auto kind = transfers::pinned();

std::optional<std::string> needs_cuda(const transfers::device& device) {
  if (device.description().cuda) return std::nullopt;
  return "the host device's kernels run on all cores; it has no multiprocessors to choose";
}

const struct grid_strategies {
  grid_strategies() {
    for (const unsigned blocks : {1U, 2U, 4U, 8U, 16U, 32U}) {
      const auto* const noun = blocks == 1 ? "block" : "blocks";
      const auto count = std::to_string(blocks);
      registration{strategy{
          .family = "zero_copy_grid",
          .parts = {setting(count + "_" + noun), in_memory(kind)},
          .summary =
              "a kernel of " + count + " " + noun + " reads or writes pinned memory in place",
          .about = "the same as zero_copy, by few thread blocks",
          .variants = both_accesses(),
          .role = roles::kernel_access,
          .prepare = [blocks](const job& task) { return copy_in_place(task, kind, blocks); },
          .needs = {.host = kind, .why_unsupported = needs_cuda},
          .sampling = {.smallest = std::size_t{64} << 10,
                       .largest = std::size_t{256} << 20,
                       .size_stride = 3,
                       .cold = false}}};
    }
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::zero_copy_grid_strategies
