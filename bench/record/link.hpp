#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "src/machine/pcie.hpp"

namespace bench_transfers::bench {

/// The link's data rate after line coding, one direction, in GB/s; nullopt when not known.
std::optional<double> limit_of(const std::optional<machine::pcie_link>& link);

/// The link as in result files; null if it is not known.
nlohmann::ordered_json to_json(const std::optional<machine::pcie_link>& link);

}  // namespace bench_transfers::bench
