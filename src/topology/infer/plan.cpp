#include "src/topology/infer/plan.hpp"

#include <algorithm>

namespace bench_transfers::topology {

std::map<flow_set, std::size_t> times_measured(const std::vector<observation>& observations) {
  std::map<flow_set, std::size_t> times;
  for (const auto& observed : observations) ++times[observed.flows];
  return times;
}

device_set usable_devices(std::size_t devices, const std::vector<observation>& observations) {
  device_set failed;
  device_set copied;
  device_set unusable;
  for (const auto& observed : observations) {
    unusable = unusable | observed.unusable;
    const auto copying = observed.flows.devices();
    if (!observed.rates.empty()) copied = copied | copying;
    if (observed.rates.empty() && copying.size() == 1) failed = failed | copying;
  }
  return device_set::up_to(devices) - (failed - copied) - unusable;
}

plan::plan(const host_outline& host, const std::vector<observation>& observations, std::size_t most)
    : host_(host),
      usable_(usable_devices(host.devices, observations)),
      times_(topology::times_measured(observations)),
      evidence_(host.devices, observations),
      fit_(explain(evidence_, host.hints)),
      limits_(fit_.limits()),
      most_(most) {}

per_flow plan::predicted(const flow_set& flows) const {
  return fill(limits_, host_.devices, flows).rates;
}

bool plan::is_chosen(const flow_set& flows) const {
  return std::ranges::find(chosen_, flows) != chosen_.end();
}

std::size_t plan::times_measured(const flow_set& flows) const {
  const auto known = times_.find(flows);
  return known == times_.end() ? 0 : known->second;
}

bool plan::is_new(const flow_set& flows) const {
  return usable_.contains(flows.devices()) && !times_.contains(flows) && !is_chosen(flows);
}

void plan::choose(const flow_set& flows) {
  if (!is_complete() && usable_.contains(flows.devices()) && !is_chosen(flows))
    chosen_.push_back(flows);
}

}  // namespace bench_transfers::topology
