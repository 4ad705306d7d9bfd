#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/topology/flows/max_min.hpp"
#include "src/topology/flows/observation.hpp"
#include "src/topology/map/host_map.hpp"

// Hosts whose links are known, and what would be measured there.

namespace bench_transfers::simulation {

using topology::device_set;
using topology::flow_set;
using topology::traffic;

struct made_up_noise {
  double repetitions = 0.01;  ///< standard deviation of the rate of a flow in one repetition
  double sets = 0.005;        ///< of what all repetitions of a flow in a set have in common
  /// Standard deviation of the weights by which flows share a link: 0 is max-min fair, as the map
  /// takes it to be.
  double unfairness = 0;
};

/// What gets slower while the host is measured.
struct made_up_drift {
  double part = 0;     ///< of the rates, lost in the end
  device_set devices;  ///< whose own links get slower
  bool links = false;  ///< that devices share get slower, too
  /// In sets: from `begin` on, evenly over `length`; 0 is at once.
  double begin = 0, length = 0;

  [[nodiscard]] double factor(double sets) const;
};

struct made_up_host {
  std::size_t devices = 0;
  std::vector<topology::limit> own, shared;

  [[nodiscard]] std::vector<topology::limit> limits() const;
};

/// Measures a made-up host: five repetitions of each set.
class made_up_measurement {
 public:
  made_up_measurement(made_up_host host, made_up_noise noise, std::uint64_t seed,
                      made_up_drift drift = {});
  topology::observation operator()(const flow_set& flows);

 private:
  [[nodiscard]] std::vector<topology::limit> limits() const;
  [[nodiscard]] topology::per_flow rates(const flow_set& flows) const;

  made_up_host host_;
  made_up_noise noise_;
  made_up_drift drift_;
  double sets_ = 0;  ///< measured so far
  std::mt19937_64 random_;
  std::vector<double> weights_;  // of each device
};

struct tree_shape {
  std::size_t devices;
  std::size_t depth;      ///< links between a device's own and the root; 0: nothing is shared
  bool shuffled = false;  ///< devices that share a link do not have neighbouring numbers
  bool unequal = false;   ///< devices alone differ by up to a factor of two
  /// Links for both directions give a flow from the host 0.5 to 2 times what they give one to the
  /// host; also the devices' own links.
  bool unfair_links = false, unfair_devices = false;
};

/// A random tree of this shape. A link gives 30 to 130 % of what those below it can take, so that
/// some never bind. Links have one capacity for each direction, alike in most of them, and half of
/// them have one for both directions together.
made_up_host random_host(const tree_shape& shape, std::mt19937_64& random);

/// A limit and the part that it takes off its flows when they all run and nothing else does: 0 if
/// it never binds.
struct true_limit {
  device_set devices;
  traffic kind;
  double effect;
};
std::vector<true_limit> effects_of(const made_up_host& host);

/// Whether the map has a limit for these devices and this traffic.
bool has(const topology::host_map& map, const true_limit& limit);

/// A limit that takes this part or more must be recovered. Smaller ones count neither way.
inline constexpr double counted_effect = 0.05;

struct recovery {
  std::size_t counted = 0, missed = 0;  ///< limits that must be recovered, and those that were not
  /// Limits of the map that never bind, or do not exist, and unfair shares of fair links.
  std::size_t invented = 0;

  [[nodiscard]] bool exact() const { return missed == 0 && invented == 0; }
};
recovery compare(const made_up_host& host, const topology::host_map& map);

/// Devices of 50 GB/s in each direction, 100 in both, that share these links.
made_up_host even_host(std::size_t devices, std::vector<topology::limit> shared = {});

/// The eight-GPU host of NVIDIA/cuda-samples issue 357, made up from the rates reported there.
made_up_host host_of_issue_357();

std::vector<std::string> names_of_devices(std::size_t count);

/// What is inferred of this host, about whose PCI tree nothing is known.
topology::host_map measured_map(const made_up_host& host, const made_up_noise& noise = {},
                                std::uint64_t seed = 1, const made_up_drift& drift = {});

}  // namespace bench_transfers::simulation
