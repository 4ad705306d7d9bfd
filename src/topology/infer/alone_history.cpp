#include "src/topology/infer/alone_history.hpp"

#include <algorithm>
#include <cmath>

#include "src/statistics/distributions.hpp"
#include "src/statistics/holm.hpp"

namespace bench_transfers::topology {
namespace {

/// Less does not look like a link, even if nothing is said of it.
constexpr double least_drift = 0.02;

std::size_t place_of(std::size_t device, traffic kind) {
  return std::size(every_traffic) * device + static_cast<std::size_t>(kind);
}

/// How far the rates lie apart, as the logarithm of the largest ratio.
double spread_of(const std::vector<alone_rate>& rates) {
  const auto [least, most] = std::ranges::minmax(rates, {}, &alone_rate::rate);
  return std::log(most.rate / least.rate);
}

double pairs_of(const std::vector<alone_rate>& rates) {
  const auto count = static_cast<double>(rates.size());
  return count * (count - 1) / 2;
}

}  // namespace

alone_history::alone_history(std::size_t devices, const std::vector<measured_set>& sets)
    : rates_(std::size(every_traffic) * devices), repetitions_(devices, 0) {
  for (std::size_t index = 0; index < sets.size(); ++index) {
    const auto& set = sets[index];
    if (set.flows.devices().size() != 1) continue;
    const auto device = set.flows.devices().front();
    const auto kind = set.flows.d2h.empty()   ? traffic::h2d
                      : set.flows.h2d.empty() ? traffic::d2h
                                              : traffic::both;
    rates_[place_of(device, kind)].push_back({index, set.rates.sum(set.flows)});
    auto& fewest = repetitions_[device];
    fewest = fewest == 0 ? set.repetitions : std::min(fewest, set.repetitions);
  }
}

const std::vector<alone_rate>& alone_history::of(std::size_t device, traffic kind) const {
  return rates_[place_of(device, kind)];
}

device_set alone_history::drifting(const noise& noise) const {
  const statistics::students_t student{noise.degrees};
  std::vector<double> p;
  std::vector<std::size_t> devices;
  for (std::size_t device = 0; device < repetitions_.size(); ++device) {
    for (const auto kind : every_traffic) {
      const auto& rates = of(device, kind);
      if (rates.size() < 2) continue;
      // What differs between sets may be common to both directions.
      const auto variance =
          noise.variance_of_sum(repetitions_[device], kind == traffic::both ? 2 : 1);
      const auto spread = spread_of(rates);
      const auto by_chance = 2 * pairs_of(rates) * student.above(spread / std::sqrt(2 * variance));
      p.push_back(spread >= least_drift ? std::min(1.0, by_chance) : 1);
      devices.push_back(device);
    }
  }
  const auto adjusted = statistics::holm_adjusted(p);
  device_set drifting;
  for (std::size_t i = 0; i < adjusted.size(); ++i)
    if (adjusted[i] < significance) drifting = drifting | device_set::of(devices[i]);
  return drifting;
}

double alone_history::change(std::size_t device, traffic kind) const {
  const auto& rates = of(device, kind);
  return rates.size() < 2 ? 0 : 1 - std::exp(-spread_of(rates));
}

double alone_history::nearest(std::size_t device, traffic kind, std::size_t index,
                              double total) const {
  const auto& rates = of(device, kind);
  if (rates.empty()) return 0;
  const auto after = std::ranges::lower_bound(rates, index, {}, &alone_rate::index);
  const auto& next = after == rates.end() ? rates.back() : *after;
  const bool is_first = after == rates.begin();
  const bool is_this = after != rates.end() && after->index == index;
  const auto& last = is_first || is_this ? next : *std::prev(after);
  return std::clamp(total, std::min(last.rate, next.rate), std::max(last.rate, next.rate));
}

}  // namespace bench_transfers::topology
