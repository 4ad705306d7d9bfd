#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "src/gate/model/baseline.hpp"
#include "src/gate/model/fingerprint.hpp"
#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

// What a run is, beside its fingerprint. Each run of a baseline may have another value, and a new
// one may have any of them.

inline constexpr std::string_view started_key = "run.started_utc";
inline constexpr std::string_view options_key = "settings.options";
/// All keys of differences_of_identity().
inline constexpr std::array<std::string_view, 5> identity_keys{
    started_key, options_key, "device.pci_bus_id", "device.uuid", "host_name"};

/// Differences of a new run: it began before the baseline's newest session on its GPU or machine;
/// it was measured with other options than all of the baseline; its GPU's slot, its GPU or its
/// machine is none of the baseline's. Where the baseline has several GPUs in the run's slot, it is
/// of several machines, and any GPU is right. What the baseline does not tell is not compared.
std::vector<difference> differences_of_identity(const baseline& before, const run& after);

}  // namespace bench_transfers::gate
