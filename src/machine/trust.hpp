#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "src/common/message.hpp"
#include "src/machine/clocks.hpp"
#include "src/machine/pcie.hpp"

namespace bench_transfers::machine {

/// Locking less than this fails for some buffers of a program: larger ones are rare.
inline constexpr std::size_t enough_locked_bytes = std::size_t{1} << 30;

/// Whether others take a visible part of the memory bandwidth: from a quarter of the CPUs on. This
/// process itself may make up 1 of the load.
bool is_much_load(double load_average, std::size_t cpus);

/// Why the numbers of this run might mislead, one message for each reason; empty if there is none.
/// `described` is the result of describe(); a fact that is null or missing raises no doubt.
std::vector<common::message> doubts(const nlohmann::ordered_json& described,
                                    const std::optional<pcie_link>& link,
                                    std::optional<int> device_numa_node);

/// The same, from the clocks of GPU and CPU at both ends of the run.
std::vector<common::message> doubts(const clocks_of_run& run);

}  // namespace bench_transfers::machine
