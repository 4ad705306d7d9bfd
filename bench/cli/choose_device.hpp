#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/common/message.hpp"
#include "src/topology/pci/pci_view.hpp"
#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

struct devices_choice {
  std::vector<std::unique_ptr<transfers::device>> chosen;  ///< at least one, in the list's order
  std::vector<std::string>
      ids;  ///< for each device what the list calls it, without links: "host:0"
  std::optional<common::message> why_not_gpu;  ///< when "auto" or "all" found no GPU
};

/// Opens the devices of a list such as "cuda:0", "host:0,host:1" or "auto":
///
///     auto                   the first GPU, otherwise the host; stands alone
///     all                    every GPU, otherwise the host; stands alone
///     cuda:N                 a GPU
///     host                   the host as a loopback: copies are as fast as memory
///     host:N                 an emulated device, with memory and streams of its own
///     host:N@LINK=RATE       … behind an emulated link of so much each way: 10GB/s, 900MB/s
///     host:N@LINK            … behind the link of this name, whose rate stands before in the list
///     host:N@LINK=RATE@LINK… … behind several links, one after the other, each of which may be
///                            shared: host:0@gpu0=56GB/s@switch=90GB/s,host:1@gpu1=56GB/s@switch
///     cuda:N-M, host:N-M@…   the devices from N to M
///     cuda:N,M-L             a number or a range without a kind is of the kind before it
///
/// Devices behind links of the same name share the link: "host:0@a=10GB/s,host:1@a". Names are
/// letters, digits, '_' and '-'. A rate is decimal: 1 GB/s is 10^9 bytes per second. Throws
/// usage_error for anything else, for a device named twice, for GPUs together with host devices and
/// for a GPU that does not exist.
[[nodiscard]] devices_choice choose_devices(const std::string& list);

/// Throws usage_error for such a list that no machine could have. Opens nothing.
void require_device_list(const std::string& list);

/// There is nothing to measure on; what() is one line.
class no_device : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Opens the device of one of a node's processes: of a list the one with this index, or the only
/// one. "auto" and "all" stand for the GPUs, "host" for as many host devices as there are
/// processes. Throws no_device if there should be GPUs and is none, usage_error for a list that is
/// too short and as choose_devices.
[[nodiscard]] devices_choice choose_device_of_rank(const std::string& list, std::size_t local_rank);

/// Where the devices are on PCI; those that are not have empty paths.
topology::pci_view pci_view_of(const devices_choice& devices);

}  // namespace bench_transfers::bench
