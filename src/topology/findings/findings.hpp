#pragma once

#include <string>
#include <vector>

#include "src/common/message.hpp"
#include "src/topology/map/host_map.hpp"

namespace bench_transfers::topology {

/// What the map says, one sentence each. The codes, and their data (rates in bytes per second,
/// devices by name):
///   nothing_shared     no devices slow each other down, as measured at once: {devices}
///   sharing_unknown    the devices were not measured all at once: {devices}
///   all_at_once        all devices together: {traffic: [h2d|d2h|both], total, alone_total,
///                      groups: [{devices, bytes_per_second, each, rates}]}: rates of each device,
///                      and the mean of those that the link holds back
///   shared_link        {devices, capacities: {h2d|d2h|both: {value, low, high, alone_each,
///                      together_each, alone, together, effect}}, place: {kind, name, generation,
///                      width} or null}: means, and the rates of each device
///   unfair_shares      both directions do not get the same: {devices, alone, h2d, d2h}, the rates
///                      of each device while these copy both ways, one at a time if `alone`
///   at_most            how many of a link's devices keep 90 % of their rates, whichever they are:
///                      {devices, count, traffic, each, alone_each}, the rates of the slowest
///   near_node          the NUMA node whose memory devices should use: {devices, node}; if it was
///                      measured, also {far_node, h2d, d2h}, each {near, far, lost: {value, low,
///                      high}}: rates, and the part that is lost
///   nodes_alike        all nodes give devices the same, as measured: {devices}
///   nodes_unclear      rates of nodes differ less than they vary: {devices}
///   node_not_measured  {nodes, why_not}
///   slower_alone       a device that copies slower than most even alone: {device, traffic, alone,
///                      typical}
///   drift              devices whose rates alone changed during the measurement: {devices,
///                      largest: {device, traffic, rates, part}, measured_again}; of the largest
///                      change the rates in the order of time, and the part by which they differ
///   disturbed          more than a tenth of the samples were discarded: {samples, discarded}
///   hop_below_maximum  the link above a device or switch: {address, devices, generation, width,
///                      generation_max, width_max}; maxima: what both ends can do
///   not_visible        the PCI tree cannot be seen: {devices}
///   poor_prediction    sets held out differ from the map: {median, p95}
///   no_link_explains   a flow loses beside others, although each link on its way has carried more:
///                      {flow, rate, beside, rate_before, beside_fewer, unused}: rates, the flows
///                      beside it ("cuda:0:h2d"), and the least part that a link has left
///   not_measured       sets that could not be measured: {count, first: {flows, why_not}}
std::vector<common::message> findings(const host_map& map);

/// A list of names.
nlohmann::ordered_json names_json(const host_map& map, device_set devices);

/// "cuda:0", "cuda:0 and cuda:2", "cuda:4 to cuda:7"
std::string names_text(const host_map& map, device_set devices);

/// The place that names a link best: a port rather than a root complex, and that rather than a
/// node; of ports the nearest to the host.
std::optional<common_place> best_place(const host_map& map, device_set devices);

}  // namespace bench_transfers::topology
