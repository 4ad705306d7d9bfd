#pragma once

#include <optional>

namespace bench_transfers::machine {

/// NUMA node of the CPU that runs this thread, getcpu(2); none if the kernel does not say it.
std::optional<int> current_numa_node();

}  // namespace bench_transfers::machine
