#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "bench/harness/flow_team.hpp"
#include "bench/harness/measured_device.hpp"
#include "bench/strategy/strategy.hpp"
#include "src/topology/flows/observation.hpp"

namespace bench_transfers::bench {

/// Measures sets of copies between pinned memory and devices for the map of a host, with the
/// strategy concurrent/pinned and the harness's clock for copies at once. The devices must outlive
/// it.
class set_meter {
 public:
  /// Allocates memory for copies of `bytes`. A device that is refused it is not measured.
  set_meter(const device_list& devices, std::size_t bytes);

  /// Several samples of the set. Never throws for what fails: the observation says why there are no
  /// rates, and which devices can no longer be measured. The data of each copy are verified when it
  /// is first made, and after the samples of each set.
  topology::observation measure(const topology::flow_set& set);
  /// The same with host memory on a NUMA node, which is allocated when it is first needed.
  topology::observation measure_on_node(int node, const topology::flow_set& set);

 private:
  struct kept_samples {
    std::vector<std::vector<double>> rates;  ///< for each flow, in bytes per second
    std::size_t discarded = 0;
  };

  [[nodiscard]] std::string why_not(const topology::flow_set& set) const;
  topology::observation measure_in(transfers::host_memory_kind kind, const topology::flow_set& set);
  void measure_into(topology::observation& observed, transfers::host_memory_kind kind);
  [[nodiscard]] std::vector<flow> prepare(transfers::host_memory_kind kind,
                                          const topology::flow_set& set);
  void move_to(transfers::host_memory_kind kind, const measured_device& device, flow& copy) const;
  [[nodiscard]] std::size_t host_bytes() const;
  void verify_each(transfers::host_memory_kind kind, const std::vector<flow>& flows);
  void poison_all(std::span<const flow> flows) const;
  void require_undamaged(std::span<const flow> flows);
  [[nodiscard]] kept_samples rates_of(const std::vector<flow>& flows);
  std::string note(const flows_failed& failed);

  device_list devices_;
  std::size_t bytes_;
  strategy copies_;
  flow_team team_;
  std::vector<std::unique_ptr<transfers::stream>> streams_;  ///< one for each device
  std::map<std::size_t, std::string> unusable_;              ///< devices, and why
  std::set<std::tuple<transfers::host_memory_kind, std::size_t, transfers::direction>> verified_;
};

}  // namespace bench_transfers::bench
