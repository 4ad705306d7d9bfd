#include "src/topology/infer/planner.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "src/topology/infer/candidate_sets.hpp"

namespace bench_transfers::topology {
namespace {

constexpr std::size_t sets_for_each_device = 15;
/// A set shows that no link below takes more than this part off its flows.
constexpr double unseen_effect = 0.03;
/// Two explanations differ by this part of a rate, or they need no set to decide.
constexpr double telling_difference = 0.04;
/// Links are nested: a set that crosses one that was found is unlikely to be another.
constexpr double worth_if_crossing = 0.25;
/// A link that takes less, or that one set alone shows, is measured again.
constexpr double weak_effect = 0.06;
constexpr std::size_t most_repeats = 3;
constexpr std::size_t few_devices = 4;
constexpr std::size_t random_sets = 200;

std::size_t held_out_count(std::size_t devices) {
  return devices < 2 ? 0 : std::min<std::size_t>(12, devices + 2);
}

std::map<flow_set, std::size_t> times_measured(const std::vector<observation>& observations) {
  std::map<flow_set, std::size_t> times;
  for (const auto& observed : observations) ++times[observed.flows];
  return times;
}

bool was_measured(const std::vector<observation>& observations, const flow_set& flows) {
  return std::ranges::any_of(observations, [&](const observation& observed) {
    return observed.flows == flows && !observed.rates.empty();
  });
}

/// Each device alone, in each direction and in both.
std::size_t count_alone(std::size_t devices) { return std::size(every_traffic) * devices; }

/// Without the devices that could not even copy alone, and those that no longer can.
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

/// Flows of a link that may be hidden: no set so far shows that they have what they could have.
struct unseen_link {
  limit bound;
  double possible;  ///< total of its flows by the fit
  double worth;     ///< of a set that shows it
};

class planning {
 public:
  planning(const host_outline& host, const std::vector<observation>& observations)
      : host_(host),
        usable_(usable_devices(host.devices, observations)),
        times_(times_measured(observations)),
        evidence_(host.devices, observations) {}

  std::vector<flow_set> next(std::size_t most) {
    fit_ = explain(evidence_, host_.hints);
    limits_ = fit_.limits();
    confirm_links(most);
    mix_directions(most);
    decide_doubts(most);
    look_for_unseen_links(most);
    return std::move(chosen_);
  }

 private:
  [[nodiscard]] bool is_new(const flow_set& flows) const {
    return usable_.contains(flows.devices()) && !times_.contains(flows) &&
           std::ranges::find(chosen_, flows) == chosen_.end();
  }

  void decide_doubts(std::size_t most) {
    for (const auto& doubt : fit_.doubts) {
      if (chosen_.size() >= most) return;
      auto other = limits_;
      const auto& bound = fit_.shared[doubt.index].limit;
      other[fit_.own.size() + doubt.index] = doubt.instead;
      decide(other, bound, doubt.instead);
    }
  }

  /// Chooses the set whose rates differ most between the fit and the other limits.
  void decide(const std::vector<limit>& other, const limit& bound, const limit& instead) {
    flow_set best;
    double most = telling_difference;
    for (const auto& flows : telling_sets(bound, instead)) {
      const auto difference = difference_between(other, flows);
      if (difference <= most) continue;
      if (!usable_.contains(flows.devices())) continue;
      if (!is_new(flows)) {
        // It decides already, if it is about to be measured.
        if (!times_.contains(flows)) return;
        continue;
      }
      most = difference;
      best = flows;
    }
    if (best.size() > 0) chosen_.push_back(best);
  }

  [[nodiscard]] double difference_between(const std::vector<limit>& other,
                                          const flow_set& flows) const {
    const auto expected = fill(limits_, host_.devices, flows).rates;
    const auto otherwise = fill(other, host_.devices, flows).rates;
    double difference = 0;
    for (const auto& flow : list_of(flows))
      difference = std::max(difference, std::abs(std::log(expected[flow] / otherwise[flow])));
    return difference;
  }

  /// The first members of either set, with and without what they differ in.
  static std::vector<flow_set> telling_sets(const limit& bound, const limit& instead) {
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

  /// Measures each link with all of its devices and no others, and weak links again: two links
  /// that give the same look like one until both are full.
  void confirm_links(std::size_t most) {
    for (const auto& fitted : fit_.shared) {
      if (chosen_.size() >= most) return;
      const bool weak = fitted.effect < weak_effect || fitted.sets < 2;
      const auto flows = flows_of(fitted.limit.devices, fitted.limit.kind);
      const auto known = times_.find(flows);
      const auto times = known == times_.end() ? 0 : known->second;
      if (times < (weak ? most_repeats : 1) && usable_.contains(flows.devices()) &&
          std::ranges::find(chosen_, flows) == chosen_.end())
        chosen_.push_back(flows);
    }
  }

  /// Where a link limits both directions together, some of its devices copy in one direction only:
  /// how directions share it is not seen while all do the same.
  void mix_directions(std::size_t most) {
    for (const auto& fitted : fit_.shared) {
      if (fitted.limit.kind != traffic::both) continue;
      const auto devices = fitted.limit.devices;
      const auto some = every_second(devices);
      for (const auto& flows : {flow_set{devices, some}, flow_set{devices - some, devices}})
        if (chosen_.size() < most && is_new(flows)) chosen_.push_back(flows);
    }
  }

  static device_set every_second(device_set devices) {
    device_set chosen;
    bool next = true;
    for (const auto device : devices.members()) {
      if (next) chosen = chosen | device_set::of(device);
      next = !next;
    }
    return chosen;
  }

  /// Sets of devices that are likely to share a link, with how likely.
  [[nodiscard]] std::map<device_set, double> likely_sets() const {
    std::map<device_set, double> worth;
    if (host_.devices <= most_devices_for_all_sets)
      for (const auto set : candidate_sets(evidence_, {})) worth[set] = 0.5;
    for (std::size_t first = 0; first < host_.devices; ++first) {
      for (std::size_t last = first + 1; last < host_.devices; ++last) {
        worth[device_set::up_to(last + 1) - device_set::up_to(first)] = 4;
        auto& pair = worth[device_set::of(first) | device_set::of(last)];
        pair = std::max(pair, 2.0);
      }
    }
    if (host_.devices > most_devices_for_all_sets) add_relatives(worth);
    for (const auto& fitted : fit_.shared) worth[fitted.limit.devices] = 8;
    for (const auto hint : host_.hints) worth[hint] = 8;
    std::erase_if(worth, [&](const auto& set) { return !usable_.contains(set.first); });
    return worth;
  }

  /// Where devices are in no order, the links that were found tell of others: around two of them,
  /// inside of one beside another, and with a device more or less.
  void add_relatives(std::map<device_set, double>& worth) const {
    const auto add = [&](device_set set, double likely) {
      if (set.size() < 2) return;
      auto& known = worth[set];
      known = std::max(known, likely);
    };
    std::set<device_set> found;
    for (const auto& fitted : fit_.shared) found.insert(fitted.limit.devices);
    for (const auto set : found) {
      for (const auto other : found) {
        if ((set & other).empty()) add(set | other, 3);
        if (set.contains(other)) add(set - other, 3);
      }
      for (const auto device : usable_.members()) {
        const auto one = device_set::of(device);
        add(set.contains(device) ? set - one : set | one, 1.5);
      }
    }
  }

  [[nodiscard]] std::vector<unseen_link> unseen_links(
      const std::map<device_set, double>& likely) const {
    std::vector<unseen_link> list;
    for (const auto& [devices, worth] : likely) {
      const auto nested = crosses_nothing(devices) ? 1 : worth_if_crossing;
      for (const auto kind : every_traffic) {
        const limit bound{devices, kind, 0};
        const auto flows = flows_of(devices, kind);
        const auto possible = fill(limits_, host_.devices, flows).rates.sum(flows);
        if (possible <= 0) continue;
        const auto lost = 1 - evidence_.most(bound) / possible;
        if (lost > unseen_effect)
          list.push_back({bound, possible, nested * worth * lost * prior(kind)});
      }
    }
    return list;
  }

  [[nodiscard]] bool crosses_nothing(device_set devices) const {
    return std::ranges::all_of(fit_.shared, [&](const fitted_limit& fitted) {
      return nested_or_apart(fitted.limit.devices, devices) || fitted.sets < 2;
    });
  }

  /// Links that bind in one direction usually do so in the other.
  static double prior(traffic kind) {
    return kind == traffic::h2d ? 1 : kind == traffic::d2h ? 0.9 : 0.8;
  }

  /// Chooses, one after the other, the set that shows most links that may be hidden.
  void look_for_unseen_links(std::size_t most) {
    const auto likely = likely_sets();
    auto unseen = unseen_links(likely);
    const auto sets = possible_sets(likely);
    while (chosen_.size() < most && !unseen.empty()) {
      const flow_set* best = nullptr;
      double best_worth = 0;
      for (const auto& [flows, rates] : sets) {
        if (!is_new(flows)) continue;
        double worth = 0;
        for (const auto& link : unseen)
          if (shows(flows, rates, link)) worth += link.worth;
        if (worth <= best_worth) continue;
        best_worth = worth;
        best = &flows;
      }
      if (best == nullptr) return;
      chosen_.push_back(*best);
      const auto rates = fill(limits_, host_.devices, *best).rates;
      std::erase_if(unseen, [&](const auto& link) { return shows(*best, rates, link); });
    }
  }

  static bool shows(const flow_set& flows, const per_flow& rates, const unseen_link& link) {
    const auto held = flows_of(link.bound.devices, link.bound.kind);
    return flows.h2d.contains(held.h2d) && flows.d2h.contains(held.d2h) &&
           rates.sum(held) >= (1 - unseen_effect / 2) * link.possible;
  }

  [[nodiscard]] std::vector<std::pair<flow_set, per_flow>> possible_sets(
      const std::map<device_set, double>& likely) const {
    std::set<device_set> devices;
    for (const auto& [set, worth] : likely) devices.insert(set);
    std::mt19937_64 random(host_.devices);
    if (host_.devices > most_devices_for_all_sets)
      for (std::size_t i = 0; i < random_sets; ++i)
        devices.insert(random_set(random, 2 + random() % (host_.devices - 1)));
    std::vector<std::pair<flow_set, per_flow>> sets;
    for (const auto set : devices) {
      if (!usable_.contains(set)) continue;
      for (const auto kind : every_traffic) {
        const auto flows = flows_of(set, kind);
        if (is_new(flows)) sets.emplace_back(flows, fill(limits_, host_.devices, flows).rates);
      }
    }
    return sets;
  }

  [[nodiscard]] device_set random_set(std::mt19937_64& random, std::size_t size) const {
    device_set set;
    while (set.size() < size) set = set | device_set::of(random() % host_.devices);
    return set;
  }

  const host_outline& host_;
  device_set usable_;
  std::map<flow_set, std::size_t> times_;
  evidence evidence_;
  fit fit_;
  std::vector<limit> limits_;
  std::vector<flow_set> chosen_;
};

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
  const auto times = times_measured(observations);
  std::vector<flow_set> rest;
  for (const auto& set : sets) {
    const auto known = times.find(set);
    const auto count = known == times.end() ? 0 : known->second;
    if (count == 0 || (count < wanted && was_measured(observations, set))) rest.push_back(set);
  }
  return rest;
}

/// What differs between sets is not known from the few flows of few devices: they are measured
/// alone twice at the beginning, and not in the middle.
bool are_few(device_set usable) { return usable.size() <= few_devices; }

}  // namespace

std::size_t most_sets(std::size_t devices) {
  if (devices < 2) return sets_for_each_device * devices;
  const std::size_t again = are_few(device_set::up_to(devices)) ? 1 : 2;
  return sets_for_each_device * devices + again * count_alone(devices);
}

std::vector<flow_set> next_sets(const host_outline& host,
                                const std::vector<observation>& observations) {
  const auto usable = usable_devices(host.devices, observations);
  const auto alone = alone_sets(usable);
  if (auto once = missing(alone, 1, observations); !once.empty()) return once;
  if (usable.size() < 2) return {};
  std::vector<flow_set> together;
  for (const auto kind : every_traffic) together.push_back(flows_of(usable, kind));
  if (auto once = missing(together, 1, observations); !once.empty()) return once;
  if (are_few(usable)) together.insert(together.end(), alone.begin(), alone.end());
  if (auto again = missing(together, 2, observations); !again.empty()) return again;
  const auto most =
      most_sets(host.devices) - held_out_count(host.devices) - count_alone(host.devices);
  if (observations.size() >= most) return {};
  if (!are_few(usable) && observations.size() >= most / 2)
    if (auto again = missing(alone, 2, observations); !again.empty()) return again;
  return planning(host, observations)
      .next(std::min(std::max<std::size_t>(4, host.devices), most - observations.size()));
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
    flow_set flows;
    for (const auto device : usable.members()) {
      const auto choice = random() % 5;  // two of them: the device does nothing
      if (choice == 0 || choice == 2) flows.h2d = flows.h2d | device_set::of(device);
      if (choice == 1 || choice == 2) flows.d2h = flows.d2h | device_set::of(device);
    }
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
  std::vector<flow_set> sets;
  for (const auto& set : alone_sets(usable))
    if (was_measured(observations, set)) sets.push_back(set);
  return sets;
}

}  // namespace bench_transfers::topology
