#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/machine/clocks.hpp"
#include "src/machine/pcie.hpp"

namespace bench_transfers::machine {

/// One line each, plain words, why the numbers of this run might mislead. Empty when nothing is
/// wrong. `described` is what describe() gave; a fact that is null or missing there raises no
/// doubt.
std::vector<std::string> doubts(const nlohmann::ordered_json& described,
                                const std::optional<pcie_link>& link,
                                std::optional<int> device_numa_node);

/// The same, from what GPU and CPU told at both ends of the run.
std::vector<std::string> doubts(const clocks_of_run& run);

}  // namespace bench_transfers::machine
