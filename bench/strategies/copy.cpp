#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench::copy_strategies {
namespace {

using transfers::pin_flags;
const auto& all_kinds = transfers::all_host_memory_kinds;

const registration copies(host_memory_family{
    .common = {.family = "copy",
               .summary = "cudaMemcpy",
               .calls = "cudaMemcpy($[device|host], $[host|device], bytes, cudaMemcpyDefault);",
               .holds_launches = true,
               .role = roles::copy,
               .sampling = {.essential = true}},
    .kinds = {all_kinds().begin(), all_kinds().end()},
    .prepare = synchronous_copy,
    .adjust = [](strategy& copy) {
      const bool plainest = copy.needs.host == transfers::pageable;
      copy.plainness = plainest ? 0 : 1 + options_of(*copy.needs.host);
      copy.variants = synchronous_copies(*copy.needs.host);
      copy.sampling.essential_written = plainest || copy.needs.host == transfers::pinned();
      copy.sampling.written = copy.sampling.essential_written ||
                              copy.needs.host == transfers::registered ||
                              copy.needs.host == transfers::pinned(pin_flags::write_combined);
      if (copy.sampling.written && copy.needs.host != transfers::registered)
        copy.sampling.profiles["wc"] = {};
      if (plainest || copy.needs.host == transfers::pinned()) copy.sampling.profiles["sweep"] = {};
    }});

}  // namespace
}  // namespace bench_transfers::bench::copy_strategies
