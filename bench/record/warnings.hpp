#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "bench/harness/fault.hpp"
#include "bench/record/observe.hpp"
#include "src/common/message.hpp"

namespace bench_transfers::bench {

/// Why the figures of a run may mislead: injected faults first, then what is known before it of the
/// machine (`described`: machine::describe) and of each device. Warnings about the machine apply to
/// all devices and are there once.
std::vector<common::message> warnings_of_run(const std::vector<fault>& faults,
                                             const nlohmann::ordered_json& described,
                                             std::span<const observed_device> devices);

}  // namespace bench_transfers::bench
