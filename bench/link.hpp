#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "machine/pcie.hpp"
#include "transfers/device.hpp"

namespace bench {

/// The PCIe link of a CUDA device, read while copies keep it busy: a sleeping link reports a lower
/// generation. Nullopt for the host device, for links that are not PCIe (coherent CPU–GPU links,
/// integrated GPUs), and where the system does not tell.
std::optional<machine::pcie_link> observe_link(transfers::device& device);

/// Its data rate after line coding, one direction, in GB/s; nullopt when not known.
std::optional<double> limit_of(const std::optional<machine::pcie_link>& link);

/// As it stands in result files; null when not known.
nlohmann::ordered_json to_json(const std::optional<machine::pcie_link>& link);

}  // namespace bench
