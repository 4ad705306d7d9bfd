#pragma once

#include <string>
#include <utility>
#include <vector>

#include "src/common/message.hpp"
#include "src/topology/map/host_map.hpp"

namespace bench_transfers::topology {

/// Rates within this part of each other are told in one number.
inline constexpr double told_as_one = 0.03;

/// Means by device. `together_each`: while no others copy; of a device that copies in both
/// directions their total.
double alone_each(const host_map& map, device_set devices, traffic kind);
double together_each(const host_map& map, device_set devices, traffic kind);

using device_rates = std::vector<std::pair<std::size_t, double>>;
device_rates alone_by_device(const host_map& map, device_set devices, traffic kind);
/// While no others copy.
device_rates together_by_device(const host_map& map, device_set devices, traffic kind);
/// While these flows run, what each of these devices gets in both of its directions.
device_rates rates_by_device(const per_flow& rates, device_set devices, traffic kind);

nlohmann::ordered_json rates_json(const device_rates& rates);
/// "each gets 44.6", or "cuda:0 gets 20.0, cuda:1 to cuda:3 get 50.0 each".
std::string what_each_gets(const host_map& map, const device_rates& rates);
/// "44.6 each", or as above.
std::string share_of_each(const host_map& map, const device_rates& rates);

struct shown_capacity {
  std::string words;
  traffic kind = traffic::h2d;
};

/// Capacities of a link, those of both directions as one if they are alike.
std::vector<shown_capacity> shown_capacities(const shared_link& link);

}  // namespace bench_transfers::topology
