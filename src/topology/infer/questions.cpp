#include "src/topology/infer/questions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bench_transfers::topology {
namespace {

/// A link that takes less, or that one set alone shows, is measured again.
constexpr double weak_effect = 0.06;
constexpr std::size_t most_repeats = 3;
/// Two explanations differ by this part of a rate, or they need no set to decide.
constexpr double telling_difference = 0.04;

device_set every_second(device_set devices) {
  device_set chosen;
  bool next = true;
  for (const auto device : devices.members()) {
    if (next) chosen = chosen | device_set::of(device);
    next = !next;
  }
  return chosen;
}

/// By which part the rate of a flow differs at most between the fit and other limits.
double difference(const plan& next, const std::vector<limit>& other, const flow_set& flows) {
  const auto expected = next.predicted(flows);
  const auto otherwise = fill(other, next.devices(), flows).rates;
  double most = 0;
  for (const auto& flow : list_of(flows))
    most = std::max(most, std::abs(std::log(expected[flow] / otherwise[flow])));
  return most;
}

/// The first members of either limit, with and without what they differ in.
std::vector<flow_set> telling_sets(const limit& bound, const limit& instead) {
  const auto common = bound.devices & instead.devices;
  const auto differing = (bound.devices | instead.devices) - common;
  std::vector<flow_set> sets;
  const auto add = [&](device_set devices) {
    if (devices.size() < 2) return;
    sets.push_back(flows_of(devices, bound.kind));
    if (instead.kind != bound.kind) sets.push_back(flows_of(devices, instead.kind));
  };
  device_set members;
  for (const auto device : common.members()) {
    members = members | device_set::of(device);
    if (!differing.empty()) add(members | device_set::of(differing.front()));
    add(members | differing);
    add(members);
  }
  return sets;
}

/// Decides between a limit of the fit and another one in its place. Nothing is chosen if a set that
/// is chosen already decides.
void decide(plan& next, std::size_t index, const limit& instead) {
  auto other = next.limits();
  const auto bound = std::exchange(other[index], instead);
  flow_set best;
  double most = telling_difference;
  for (const auto& flows : telling_sets(bound, instead)) {
    const auto by = difference(next, other, flows);
    if (by <= most || !next.usable().contains(flows.devices())) continue;
    if (next.times_measured(flows) > 0) continue;
    if (next.is_chosen(flows)) return;
    most = by;
    best = flows;
  }
  if (best.size() > 0) next.choose(best);
}

}  // namespace

void confirm_links(plan& next) {
  for (const auto& fitted : next.fit().shared) {
    const bool is_weak = fitted.effect < weak_effect || fitted.sets < 2;
    const auto flows = flows_of(fitted.limit.devices, fitted.limit.kind);
    if (next.times_measured(flows) < (is_weak ? most_repeats : 1)) next.choose(flows);
  }
}

void mix_directions(plan& next) {
  for (const auto& fitted : next.fit().shared) {
    if (fitted.limit.kind != traffic::both) continue;
    const auto devices = fitted.limit.devices;
    const auto some = every_second(devices);
    for (const auto& flows : {flow_set{devices, some}, flow_set{devices - some, devices}})
      if (next.is_new(flows)) next.choose(flows);
  }
}

void decide_doubts(plan& next) {
  for (const auto& doubt : next.fit().doubts) {
    if (next.is_complete()) return;
    decide(next, next.fit().own.size() + doubt.index, doubt.instead);
  }
}

}  // namespace bench_transfers::topology
