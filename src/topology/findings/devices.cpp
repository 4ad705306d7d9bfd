#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "src/statistics/quantile.hpp"
#include "src/topology/findings/registration.hpp"

namespace bench_transfers::topology {
namespace {

using common::message;

/// A device alone is slow below this part of the median of all.
constexpr double slow_alone = 0.95;

void add_slower_alone(const host_map& map, std::vector<message>& list) {
  const auto measured = measured_devices(map);
  if (measured.size() < 3) return;
  for (const auto kind : {traffic::h2d, traffic::d2h}) {
    std::vector<double> typical;
    for (const auto device : measured.members())
      typical.push_back(map.alone[device].of(kind).value);
    const auto median = statistics::median(typical);
    for (const auto device : measured.members()) {
      const auto value = map.alone[device].of(kind).value;
      if (value >= slow_alone * median) continue;
      list.push_back(
          {"slower_alone",
           {{"device", map.devices[device]},
            {"traffic", to_string(kind)},
            {"alone", value},
            {"typical", median}},
           fmt::format("{} gets only {} GB/s {} even alone; most get {}.", map.devices[device],
                       rate_text(value), direction_text(kind), rate_text(median))});
    }
  }
}

/// The part of the highest rate that the lowest lacks.
double part_of(const device_drift& drift) {
  const auto [least, most] = std::ranges::minmax(drift.rates);
  return 1 - least / most;
}

void add_drift(const host_map& map, std::vector<message>& list) {
  if (map.drifts.empty()) return;
  device_set devices;
  for (const auto& drift : map.drifts) devices = devices | device_set::of(drift.device);
  const auto largest = std::ranges::max(map.drifts, {}, part_of);
  const auto part = part_of(largest);
  std::vector<std::string> rates;
  for (const auto rate : largest.rates) rates.push_back(rate_text(rate));
  const bool several = devices.size() > 1;
  const auto subject =
      several ? fmt::format("{}, most of all,", map.devices[largest.device]) : std::string("it");
  const auto meaning =
      map.measured_again
          ? std::string("All sets were measured again after that.")
          : fmt::format("A link that takes less than {:.0f} % off {} may be missing.",
                        std::ceil(100 * part), several ? "them" : "it");
  list.push_back({"drift",
                  {{"devices", device_names(map, devices)},
                   {"largest",
                    {{"device", map.devices[largest.device]},
                     {"traffic", to_string(largest.kind)},
                     {"rates", largest.rates},
                     {"part", part}}},
                   {"measured_again", map.measured_again}},
                  fmt::format("{} changed during the measurement: {} got {} GB/s {} alone. {}",
                              names_text(map, devices), subject, fmt::join(rates, ", then "),
                              direction_text(largest.kind), meaning)});
}

const registration of_alone(subject::alone, add_slower_alone);
const registration of_drift(subject::drift, add_drift);

}  // namespace
}  // namespace bench_transfers::topology
