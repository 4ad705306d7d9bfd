#include "src/topology/infer/infer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "src/statistics/quantile.hpp"
#include "src/topology/infer/fit.hpp"
#include "src/topology/infer/planner.hpp"

namespace bench_transfers::topology {
namespace {

/// The device's own limit as it was fitted to all sets in which it holds flows back; nullptr if it
/// has none for this traffic.
const limit* own_limit(const fit& fitted, device_set devices, traffic kind) {
  const auto found = std::ranges::find_if(fitted.own, [&](const limit& other) {
    return other.devices == devices && other.kind == kind;
  });
  return found == fitted.own.end() ? nullptr : &*found;
}

std::optional<direction_shares> unless_fair(const limit& limit) {
  if (limit.shares.are_fair()) return std::nullopt;
  return limit.shares;
}

alone_rates alone_of(std::size_t device, const evidence& evidence, const fit& fitted) {
  const auto devices = device_set::of(device);
  const auto rate = [&](traffic kind) {
    const auto measured = evidence.alone().of(device, kind);
    if (measured.empty()) return statistics::estimate{};
    double repetitions = 0;
    for (const auto& set : measured) repetitions += evidence.sets()[set.index].repetitions;
    const auto count = static_cast<double>(measured.size());
    const auto flows = kind == traffic::both ? 2.0 : 1.0;
    // Of a device that drifts only the last counts.
    const auto used = evidence.drifting().contains(device) ? 1 : count;
    const auto variance = evidence.noise().variance_of_sum(repetitions / count, flows) / used;
    const auto* const own = own_limit(fitted, devices, kind);
    return evidence.noise().interval(
        own != nullptr ? own->capacity : evidence.rate_alone(device, kind), variance);
  };
  alone_rates alone{rate(traffic::h2d), rate(traffic::d2h), rate(traffic::both)};
  if (const auto* const both = own_limit(fitted, devices, traffic::both))
    alone.shares = unless_fair(*both);
  return alone;
}

std::vector<device_drift> drifts_of(const evidence& evidence) {
  std::vector<device_drift> list;
  for (const auto device : evidence.drifting().members()) {
    for (const auto kind : every_traffic) {
      device_drift drift{device, kind, {}};
      for (const auto& measured : evidence.alone().of(device, kind))
        drift.rates.push_back(measured.rate);
      if (drift.rates.size() >= 2) list.push_back(std::move(drift));
    }
  }
  return list;
}

std::vector<shared_link> links_of(const fit& fitted) {
  std::vector<shared_link> links;
  for (const auto& shared : fitted.shared) {
    auto link = std::ranges::find(links, shared.limit.devices, &shared_link::devices);
    if (link == links.end())
      link = links.insert(links.end(), shared_link{shared.limit.devices, {}, {}, {}});
    link->of(shared.limit.kind) = {shared.capacity, shared.effect, shared.p, shared.sets,
                                   unless_fair(shared.limit)};
  }
  std::ranges::sort(links, [](const shared_link& lhs, const shared_link& rhs) {
    if (lhs.devices.contains(rhs.devices)) return true;
    return !rhs.devices.contains(lhs.devices) && lhs.devices.front() < rhs.devices.front();
  });
  return links;
}

compared_set compared(const host_map& map, const measured_set& set, bool held_out) {
  compared_set result{set.flows,    held_out, {}, {}, static_cast<std::size_t>(set.repetitions),
                      set.discarded};
  const auto predicted = rates(map, set.flows);
  for (const auto& flow : list_of(set.flows)) {
    result.measured.push_back(set.rates[flow]);
    result.predicted.push_back(predicted[flow]);
  }
  return result;
}

std::optional<held_out_errors> errors_of(const std::vector<compared_set>& sets) {
  held_out_errors result;
  std::vector<double> errors;
  for (const auto& set : sets) {
    if (!set.held_out) continue;
    ++result.sets;
    for (std::size_t i = 0; i < set.measured.size(); ++i)
      errors.push_back(std::abs(set.predicted[i] / set.measured[i] - 1));
  }
  if (errors.empty()) return std::nullopt;
  std::ranges::sort(errors);
  result.flows = errors.size();
  result.median = statistics::quantile(errors, 0.5);
  result.p95 = statistics::quantile(errors, 0.95);
  return result;
}

void require_known_count(std::size_t devices) {
  if (devices == 0 || devices > most_devices)
    throw std::invalid_argument(
        fmt::format("a map needs 1 to {} devices, not {}", most_devices, devices));
}

/// All sets for a map.
struct measurement {
  std::size_t devices;
  std::vector<observation> observations, held_out;

  [[nodiscard]] evidence fitted_to() const { return {devices, observations}; }
  /// The host itself has changed: sets before and after that do not go together.
  [[nodiscard]] bool has_drifted() const { return fitted_to().common_drift() > 0; }
};

/// Measures all sets, without the devices that are lost.
class measuring {
 public:
  measuring(const pci_view& pci, std::size_t devices, const measure_function& measure,
            const progress_function& progress)
      : host_{devices, sets_below_places(pci)}, measure_(measure), progress_(progress) {}

  /// Ends when the host has changed, if so asked.
  measurement run(bool until_drift) {
    most_ += most_sets(host_.devices);
    measurement made{host_.devices, {}, {}};
    for (auto sets = next_sets(host_, made.observations); !sets.empty();
         sets = next_sets(host_, made.observations)) {
      add(made.observations, sets);
      if (until_drift && made.has_drifted()) return made;
    }
    for (auto sets = held_out_sets(host_.devices, made.observations); !sets.empty();
         sets = held_out_sets(host_.devices, made.observations, made.held_out))
      add(made.held_out, sets);
    auto all = made.observations;
    all.insert(all.end(), made.held_out.begin(), made.held_out.end());
    add(made.observations, closing_sets(host_.devices, all));
    return made;
  }

 private:
  void add(std::vector<observation>& observations, const std::vector<flow_set>& sets) {
    for (const auto& flows : sets) {
      // A device may be lost since the sets were chosen.
      if (!(flows.devices() & unusable_).empty()) continue;
      observations.push_back(measure_(flows));
      observations.back().flows = flows;
      unusable_ = unusable_ | observations.back().unusable;
      if (progress_) progress_(++done_, most_);
    }
  }

  host_outline host_;
  const measure_function& measure_;
  const progress_function& progress_;
  device_set unusable_;
  std::size_t done_ = 0, most_ = 0;
};

}  // namespace

host_map map_of(const pci_view& pci, const std::vector<std::string>& devices,
                const std::vector<observation>& observations,
                const std::vector<observation>& held_out) {
  require_known_count(devices.size());
  const evidence fitted_to(devices.size(), observations);
  const evidence checked_with(devices.size(), held_out);
  const auto fitted = explain(fitted_to, sets_below_places(pci));
  host_map map;
  map.devices = devices;
  map.pci = pci;
  for (std::size_t device = 0; device < devices.size(); ++device)
    map.alone.push_back(alone_of(device, fitted_to, fitted));
  map.links = links_of(fitted);
  for (const auto& set : fitted_to.sets()) map.sets.push_back(compared(map, set, false));
  for (const auto& set : checked_with.sets()) map.sets.push_back(compared(map, set, true));
  for (const auto* list : {&observations, &held_out})
    for (const auto& observed : *list)
      if (observed.rates.empty()) map.skipped.push_back({observed.flows, observed.why_not});
  map.errors = errors_of(map.sets);
  map.drifts = drifts_of(fitted_to);
  return map;
}

host_map infer(const pci_view& pci, const std::vector<std::string>& devices,
               const measure_function& measure, const progress_function& progress) {
  require_known_count(devices.size());
  measuring meter(pci, devices.size(), measure, progress);
  const auto first = meter.run(true);
  if (!first.has_drifted()) return map_of(pci, devices, first.observations, first.held_out);
  const auto again = meter.run(false);
  auto map = map_of(pci, devices, again.observations, again.held_out);
  if (again.has_drifted()) return map;
  map.drifts = drifts_of(first.fitted_to());
  map.measured_again = true;
  return map;
}

}  // namespace bench_transfers::topology
