#include "src/topology/infer/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "src/statistics/distributions.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::topology {
namespace {

using statistics::square;

/// Before a set was measured twice, and at the least: healthy machines repeat pinned copies to a
/// few tenths of a percent.
constexpr double expected_between_sets = 0.003;
constexpr double least_between_sets = 0.001;
constexpr double least_repetitions = 0.0005;

/// A sum of squares with its degrees of freedom.
struct pooled {
  double squares = 0, degrees = 0;

  void add(const std::vector<double>& values) {
    const auto mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    for (const auto value : values) squares += square(value / mean - 1);
    degrees += static_cast<double>(values.size()) - 1;
  }
  [[nodiscard]] double variance() const { return degrees > 0 ? squares / degrees : 0; }
};

bool usable(const observation& observed) {
  return observed.flows.size() > 0 && observed.rates.size() == observed.flows.size() &&
         std::ranges::all_of(observed.rates, [](const auto& rates) {
           return !rates.empty() && std::ranges::all_of(rates, [](double rate) {
             return rate > 0 && std::isfinite(rate);
           });
         });
}

measured_set mean_of(std::size_t devices, const observation& observed) {
  measured_set set{observed.flows, per_flow(devices),
                   static_cast<double>(observed.rates.front().size()), observed.discarded};
  const auto flows = list_of(observed.flows);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const auto& rates = observed.rates[i];
    set.rates[flows[i]] =
        std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
    set.repetitions = std::min(set.repetitions, static_cast<double>(rates.size()));
  }
  return set;
}

/// Of the means of sets that were measured more than once; of devices that drift only if the sets
/// were measured soon one after the other.
pooled between_sets(const std::vector<measured_set>& sets, std::size_t soon, device_set drifting) {
  std::map<flow_set, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < sets.size(); ++i) alike[sets[i].flows].push_back(i);
  pooled means;
  for (const auto& [flows, repeated] : alike) {
    for (const auto& flow : list_of(flows)) {
      std::vector<double> rates;
      for (const auto index : repeated)
        if (!drifting.contains(flow.device) || index - repeated.front() <= soon)
          rates.push_back(sets[index].rates[flow]);
      if (rates.size() >= 2) means.add(rates);
    }
  }
  return means;
}

noise noise_of(const pooled& repetitions, const pooled& means, double repeated) {
  noise result;
  result.repetitions = std::max(least_repetitions, std::sqrt(repetitions.variance()));
  result.sets =
      means.degrees > 0
          ? std::max(least_between_sets,
                     std::sqrt(std::max(0.0, means.variance() - repetitions.variance() / repeated)))
          : expected_between_sets;
  result.degrees = std::max(1.0, means.degrees > 0 ? means.degrees : repetitions.degrees);
  return result;
}

}  // namespace

double noise::variance(double repeated) const {
  return square(repetitions) / std::max(1.0, repeated) + square(sets);
}

double noise::variance_of_sum(double repeated, double flows) const {
  return square(repetitions) / std::max(1.0, repeated * flows) + square(sets);
}

statistics::estimate noise::interval(double value, double variance) const {
  const statistics::students_t student{degrees};
  const auto half = value * std::sqrt(variance) * student.exceeded_by(0.025);
  return {value, value - half, value + half};
}

evidence::evidence(std::size_t devices, const std::vector<observation>& observations)
    : devices_(devices) {
  pooled repetitions;
  double repeated = 1;
  for (const auto& observed : observations) {
    if (!usable(observed) || !device_set::up_to(devices).contains(observed.flows.devices()))
      continue;
    for (const auto& rates : observed.rates) repetitions.add(rates);
    sets_.push_back(mean_of(devices, observed));
    seen_ = seen_ | observed.flows.devices();
    repeated = std::max(repeated, sets_.back().repetitions);
  }
  alone_ = alone_history(devices, sets_);
  // All devices at once are measured twice in succession.
  const auto soon = std::size(every_traffic);
  const auto soon_alike = between_sets(sets_, soon, device_set::up_to(devices));
  drifting_ = alone_.drifting(noise_of(repetitions, soon_alike, repeated));
  noise_ = noise_of(repetitions, between_sets(sets_, soon, drifting_), repeated);
}

double evidence::common_drift() const {
  if (drifting_.size() < 2 || 2 * drifting_.size() <= seen_.size()) return 0;
  double largest = 0;
  for (const auto device : drifting_.members())
    for (const auto kind : every_traffic) largest = std::max(largest, alone_.change(device, kind));
  return largest;
}

std::vector<limit> evidence::limits_in(std::size_t set, std::vector<limit> limits) const {
  const auto& measured = sets_[set];
  for (auto& limit : limits) {
    if (limit.devices.size() != 1 || !drifting_.contains(limit.devices)) continue;
    const auto device = limit.devices.front();
    const auto flows = limit.of(measured.flows);
    const auto total = measured.rates.sum(flows);
    const auto then = alone_.nearest(device, limit.kind, set, total);
    if (then > 0 && flows == flows_of(limit.devices, limit.kind)) limit.capacity = then;
  }
  return limits;
}

double evidence::rate_alone(std::size_t device, traffic kind) const {
  const auto& rates = alone_.of(device, kind);
  if (rates.empty()) return 0;
  if (drifting_.contains(device)) return rates.back().rate;
  double total = 0;
  for (const auto& measured : rates) total += measured.rate;
  return total / static_cast<double>(rates.size());
}

double evidence::most(const limit& limit) const {
  double largest = 0;
  for (const auto& set : sets_) largest = std::max(largest, set.rates.sum(limit.of(set.flows)));
  return largest;
}

}  // namespace bench_transfers::topology
