#include "bench/record/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

#include "src/machine/trust.hpp"

namespace bench_transfers::bench {
namespace {

common::message instance_warning(const std::string& id) {
  return {"mig_instance",
          {{"device", id}},
          fmt::format("device {} is an instance of a GPU (MIG): its memory is a part of the GPU's, "
                      "but its rates are those of the whole GPU's link, which it shares with the "
                      "other instances",
                      id)};
}

common::message confidential_warning(const std::string& id) {
  return {
      "confidential_computing",
      {{"device", id}},
      fmt::format("confidential computing is on in device {}: each byte between host and device "
                  "is encrypted and copied once more",
                  id)};
}

common::message fault_warning(const std::vector<fault>& faults) {
  return {"faults_injected",
          {{"faults", common::list_of(faults, std::mem_fn(&fault::text))}},
          "faults were injected on purpose: no figure here is real"};
}

}  // namespace

std::vector<common::message> warnings_of_run(const std::vector<fault>& faults,
                                             const nlohmann::ordered_json& described,
                                             std::span<const observed_device> devices) {
  std::vector<common::message> warnings;
  const auto add = [&](const common::message& warning) {
    if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(warning);
  };
  if (!faults.empty()) add(fault_warning(faults));
  for (const auto& observed : devices) {
    const auto& start = observed.start;
    for (const auto& doubt : machine::doubts(described, start.link, start.node.agreed()))
      add(doubt);
    if (start.is_instance == true) add(instance_warning(observed.id));
    if (start.is_confidential == true) add(confidential_warning(observed.id));
  }
  return warnings;
}

}  // namespace bench_transfers::bench
