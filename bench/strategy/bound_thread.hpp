#pragma once

#include <memory>
#include <optional>
#include <string>

#include "src/machine/numa.hpp"

namespace bench_transfers::bench {

/// Lets the calling thread run on the node's CPUs only, as long as the result exists, in
/// operation_timing::conditions for example. Throws unsupported.
std::shared_ptr<const void> bound_to(const machine::numa_node& node);

/// Why no thread can run on the node's CPUs.
std::optional<std::string> why_no_cpu(const machine::numa_node& node);

}  // namespace bench_transfers::bench
