#include <algorithm>
#include <random>
#include <set>
#include <utility>

#include "src/topology/infer/candidate_sets.hpp"
#include "src/topology/infer/likely_sets.hpp"
#include "src/topology/infer/questions.hpp"

namespace bench_transfers::topology {
namespace {

/// A set shows that no link below takes more than this part off its flows.
constexpr double unseen_effect = 0.03;
/// Of hosts with so many devices that not all sets are tried.
constexpr std::size_t random_sets = 200;

/// Links that bind in one direction usually do so in the other.
constexpr double part_of(traffic kind) {
  return kind == traffic::h2d ? 1 : kind == traffic::d2h ? 0.9 : 0.8;
}

/// Flows of a link that may be hidden: no set so far shows that they have what they could have.
struct unseen_link {
  limit bound;
  double possible;  ///< total of its flows by the fit
  double worth;     ///< of a set that shows it
};

std::vector<unseen_link> unseen_links(const plan& next, const likely_sets& sets) {
  std::vector<unseen_link> list;
  for (const auto& [devices, worth] : sets) {
    for (const auto kind : every_traffic) {
      const limit bound{devices, kind, 0};
      const auto flows = flows_of(devices, kind);
      const auto possible = next.predicted(flows).sum(flows);
      if (possible <= 0) continue;
      const auto lost = 1 - next.evidence().most(bound) / possible;
      if (lost > unseen_effect) list.push_back({bound, possible, worth * lost * part_of(kind)});
    }
  }
  return list;
}

device_set random_set(std::mt19937_64& random, std::size_t devices, std::size_t size) {
  device_set set;
  while (set.size() < size) set = set | device_set::of(random() % devices);
  return set;
}

/// A set that may be measured, and what the fit predicts.
using predicted_set = std::pair<flow_set, per_flow>;

std::vector<predicted_set> possible_sets(const plan& next, const likely_sets& likely) {
  std::set<device_set> devices;
  for (const auto& [set, worth] : likely) devices.insert(set);
  std::mt19937_64 random(next.devices());
  if (next.devices() > most_devices_for_all_sets)
    for (std::size_t i = 0; i < random_sets; ++i)
      devices.insert(random_set(random, next.devices(), 2 + random() % (next.devices() - 1)));
  std::vector<predicted_set> sets;
  for (const auto set : devices)
    for (const auto kind : every_traffic)
      if (const auto flows = flows_of(set, kind); next.is_new(flows))
        sets.emplace_back(flows, next.predicted(flows));
  return sets;
}

/// Whether a set shows a link, if there is one: its flows run, and nothing else holds them back.
bool shows(const predicted_set& set, const unseen_link& link) {
  const auto& [flows, rates] = set;
  const auto held = flows_of(link.bound.devices, link.bound.kind);
  return flows.contains(held) && rates.sum(held) >= (1 - unseen_effect / 2) * link.possible;
}

}  // namespace

void look_for_unseen_links(plan& next) {
  const auto likely = likely_sets_of(next);
  auto unseen = unseen_links(next, likely);
  const auto sets = possible_sets(next, likely);
  while (!next.is_complete() && !unseen.empty()) {
    const predicted_set* best = nullptr;
    double best_worth = 0;
    for (const auto& set : sets) {
      double worth = 0;
      for (const auto& link : unseen)
        if (shows(set, link)) worth += link.worth;
      if (worth <= best_worth) continue;
      best_worth = worth;
      best = &set;
    }
    if (best == nullptr) return;
    next.choose(best->first);
    std::erase_if(unseen, [&](const auto& link) { return shows(*best, link); });
  }
}

}  // namespace bench_transfers::topology
