#include "src/topology/infer/planner.hpp"

#include <algorithm>
#include <random>

#include "src/topology/infer/plan.hpp"
#include "src/topology/infer/questions.hpp"

namespace bench_transfers::topology {
namespace {

constexpr std::size_t sets_for_each_device = 15;
constexpr std::size_t few_devices = 4;

/// What was found is made sure of before anything else is looked for.
constexpr void (*questions[])(plan&) = {confirm_links, mix_directions, decide_doubts,
                                        look_for_unseen_links};

std::size_t held_out_count(std::size_t devices) {
  return devices < 2 ? 0 : std::min<std::size_t>(12, devices + 2);
}

bool was_measured(const std::vector<observation>& observations, const flow_set& flows) {
  return std::ranges::any_of(observations, [&](const observation& observed) {
    return observed.flows == flows && !observed.rates.empty();
  });
}

/// Each device alone, in each direction and in both.
std::size_t count_alone(std::size_t devices) { return std::size(every_traffic) * devices; }

std::vector<flow_set> alone_sets(device_set devices) {
  std::vector<flow_set> sets;
  for (const auto kind : every_traffic)
    for (const auto device : devices.members())
      sets.push_back(flows_of(device_set::of(device), kind));
  return sets;
}

/// Those of the sets that were measured fewer times, and did not fail.
std::vector<flow_set> missing(const std::vector<flow_set>& sets, std::size_t wanted,
                              const std::vector<observation>& observations) {
  auto times = times_measured(observations);
  std::vector<flow_set> rest;
  for (const auto& set : sets) {
    const auto count = times[set];
    if (count == 0 || (count < wanted && was_measured(observations, set))) rest.push_back(set);
  }
  return rest;
}

/// What differs between sets is not known from the few flows of few devices: they are measured
/// alone twice at the beginning, and not in the middle.
bool are_few(device_set usable) { return usable.size() <= few_devices; }

/// Each of the devices copies from the host, to it, both ways, or, twice as often, not at all.
flow_set random_flows(device_set devices, std::mt19937_64& random) {
  flow_set flows;
  for (const auto device : devices.members()) {
    const auto choice = random() % 5;
    if (choice == 0 || choice == 2) flows.h2d = flows.h2d | device_set::of(device);
    if (choice == 1 || choice == 2) flows.d2h = flows.d2h | device_set::of(device);
  }
  return flows;
}

}  // namespace

std::size_t most_sets(std::size_t devices) {
  if (devices < 2) return sets_for_each_device * devices;
  const std::size_t again = are_few(device_set::up_to(devices)) ? 1 : 2;
  return sets_for_each_device * devices + again * count_alone(devices);
}

std::vector<flow_set> next_sets(const host_outline& host,
                                const std::vector<observation>& observations) {
  // What each device gets alone.
  const auto usable = usable_devices(host.devices, observations);
  const auto alone = alone_sets(usable);
  if (auto once = missing(alone, 1, observations); !once.empty()) return once;
  if (usable.size() < 2) return {};
  // What all get together, and what that varies by.
  std::vector<flow_set> together;
  for (const auto kind : every_traffic) together.push_back(flows_of(usable, kind));
  if (auto once = missing(together, 1, observations); !once.empty()) return once;
  if (are_few(usable)) together.insert(together.end(), alone.begin(), alone.end());
  if (auto again = missing(together, 2, observations); !again.empty()) return again;
  // What explains it, with a look at whether the devices have changed halfway.
  const auto most =
      most_sets(host.devices) - held_out_count(host.devices) - count_alone(host.devices);
  if (observations.size() >= most) return {};
  if (!are_few(usable) && observations.size() >= most / 2)
    if (auto again = missing(alone, 2, observations); !again.empty()) return again;
  const auto at_once = std::max<std::size_t>(4, host.devices);
  plan next(host, observations, std::min(at_once, most - observations.size()));
  for (auto* const ask : questions) ask(next);
  return next.chosen();
}

std::vector<flow_set> held_out_sets(std::size_t devices,
                                    const std::vector<observation>& observations,
                                    const std::vector<observation>& held_out) {
  auto known = observations;
  known.insert(known.end(), held_out.begin(), held_out.end());
  const auto times = times_measured(known);
  const auto usable = usable_devices(devices, known);
  const auto most = held_out_count(devices);
  std::mt19937_64 random(devices);
  std::vector<flow_set> sets;
  if (usable.size() < 2) return sets;
  for (int attempt = 0; attempt < 1000 && held_out.size() + sets.size() < most; ++attempt) {
    const auto flows = random_flows(usable, random);
    if (flows.devices().size() >= 2 && !times.contains(flows) &&
        std::ranges::find(sets, flows) == sets.end())
      sets.push_back(flows);
  }
  return sets;
}

std::vector<flow_set> closing_sets(std::size_t devices,
                                   const std::vector<observation>& observations) {
  const auto usable = usable_devices(devices, observations);
  if (usable.size() < 2) return {};
  auto sets = alone_sets(usable);
  std::erase_if(sets, [&](const auto& set) { return !was_measured(observations, set); });
  return sets;
}

}  // namespace bench_transfers::topology
