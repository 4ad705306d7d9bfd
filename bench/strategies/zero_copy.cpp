#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench::zero_copy_strategies {
namespace {

using transfers::pin_flags;

const registration kernels(host_memory_family{
    .common =
        {.family = "zero_copy",
         .summary = "a kernel reads or writes host memory in place",
         .calls =
             "cudaHostGetDevicePointer(&mapped, host, 0);\n"
             "kernel<<<blocks, threads, 0, stream>>>($[device|mapped], $[mapped|device], bytes);\n"
             "cudaStreamSynchronize(stream);",
         .about = "a kernel reads or writes host memory in place",
         .variants = both_accesses(),
         .role = roles::copy,
         .sampling = {.essential = true}},
    .kinds = {transfers::registered, transfers::pinned(pin_flags::mapped),
              transfers::pinned(pin_flags::mapped | pin_flags::write_combined)},
    .prepare = [](const job& task,
                  transfers::host_memory_kind kind) { return copy_in_place(task, kind); },
    .adjust =
        [](strategy& access) {
          access.plainness = 2 + options_of(*access.needs.host);
          access.sampling.written = access.needs.host == transfers::pinned(pin_flags::mapped);
        }});

}  // namespace
}  // namespace bench_transfers::bench::zero_copy_strategies
