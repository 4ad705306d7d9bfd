#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "src/common/message.hpp"
#include "src/topology/map/host_map.hpp"

// How to copy between the host and several of its devices, by a map of the host.

namespace bench_transfers::advice {

/// Each device copies so many bytes in this direction, or in each direction at the same time.
struct copies_at_once {
  topology::device_set devices;
  topology::traffic kind;
  double bytes;
};

/// Where rates at once come from.
enum class rate_source {
  measured,  ///< this very set, in the map
  predicted  ///< the links of the map
};

/// In bytes per second; of a device that copies in both directions their total.
struct device_rates {
  std::size_t device;
  double alone, together;
};

/// Devices that copy at the same time.
struct group_at_once {
  topology::device_set devices;
  rate_source source;
  std::vector<device_rates> rates;
  double total;            ///< bytes per second, while all of them copy
  double kept;             ///< the smallest part that a copy keeps of its rate alone
  topology::flow slowest;  ///< that copy
  double ns;               ///< until the last of the copies has ended
};

/// In what order the copies are all done first.
enum class order { at_once, groups, one_by_one };

enum class node_source { measured, pci };

/// The NUMA node from whose memory a device copies best. Rates, in bytes per second, are those of
/// the device alone, in the slower direction if it copies in both; 0 if the PCI tree says it.
struct best_node {
  std::size_t device;
  int node;
  node_source source;
  double rate = 0;
  double lowest = 0;  ///< of the node that is worst
};

/// What a device keeps of its rate alone while another one copies as well.
struct kept_beside {
  std::size_t device, other;
  double kept;
  rate_source source;
};

/// The answer for the devices of the question that the map has rates of.
struct advice_at_once {
  copies_at_once question;
  group_at_once all;
  /// One after the other: groups in which no copy is disturbed. A single one if none disturbs
  /// another.
  std::vector<group_at_once> groups;
  double groups_ns;
  double one_by_one_ns;
  std::vector<kept_beside> pairs;  ///< of each two devices, in both orders
  order fastest;                   ///< of orders within 3 % of each other the plainest
  std::vector<best_node> nodes;
  /// What is not known, or is doubtful:
  ///   devices_not_measured  they are not part of the answer: {devices}
  ///   set_not_measured      rates are predicted: {median, p95}, or null if nothing was held out
  ///   set_skipped           this very set could not be measured: {why_not}
  ///   poor_prediction       the map does not explain its host: {median, p95}
  ///   no_link_explains      nor would any other map: as topology/findings.hpp has it
  ///   other_size            the map is of copies of another size: {measured_bytes}
  ///   node_unknown          nothing says which NUMA node is near: {devices}
  std::vector<common::message> doubts;
};

/// `measured_bytes`: the size of the copies that the map was made of, where it is known. Returns
/// nothing if the map has rates of none of the devices. Throws std::invalid_argument for an
/// impossible question: no devices, one that the map does not have, bytes that are no positive
/// number.
std::optional<advice_at_once> advise_at_once(const topology::host_map& map,
                                             const copies_at_once& question,
                                             std::optional<std::size_t> measured_bytes);

}  // namespace bench_transfers::advice
