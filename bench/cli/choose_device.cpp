#include "bench/cli/choose_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <regex>

#include "bench/cli/device_names.hpp"
#include "bench/cli/emulated_links.hpp"
#include "src/common/program.hpp"
#include "src/machine/machine.hpp"
#include "transfers/core/error.hpp"
#include "transfers/host/host_device.hpp"

namespace bench_transfers::bench {
namespace {

std::unique_ptr<transfers::device> open_cuda(int index, std::string_view name) {
  try {
    return transfers::open_cuda_device(index);
  } catch (const transfers::unsupported& absent) {
    throw common::usage_error(fmt::format("device {}: {}", name, absent.what()));
  }
}

/// "@a@b" of "@a=10GB/s@b", whose rates an earlier device of the range has given.
std::string without_rates(const std::string& links) {
  return std::regex_replace(links, std::regex("=[^@]*"), "");
}

/// Reads a list, and then opens its devices: links are shared, so all must be known before.
class listed_devices {
 public:
  explicit listed_devices(const std::string& list) {
    for_each_device(
        list, [&](const auto& range, auto index, const auto& part) { add(range, index, part); });
  }

  [[nodiscard]] std::size_t size() const { return devices_.size(); }

  [[nodiscard]] devices_choice open() const { return open(devices_); }

  /// One of them alone.
  [[nodiscard]] devices_choice open(std::size_t index) const { return open({devices_.at(index)}); }

 private:
  struct device {
    std::string kind;
    std::optional<int> index;
    std::string id;
    std::vector<std::size_t> path;
  };

  [[nodiscard]] devices_choice open(const std::vector<device>& devices) const {
    std::optional<transfers::emulated_network> network;
    if (!links_.all().empty()) network.emplace(links_.all());
    devices_choice choice;
    for (const auto& [kind, index, id, path] : devices) {
      choice.ids.push_back(id);
      choice.chosen.push_back(
          kind == "cuda"
              ? open_cuda(*index, id)
              : transfers::open_host_device(
                    {.index = index, .link = path.empty() ? nullptr : network->path(path)}));
    }
    return choice;
  }

  void add(const named_range& range, std::optional<int> index, const std::string& part) {
    const auto id = name_of(range, index);
    if (std::ranges::find(devices_, id, &device::id) != devices_.end())
      throw common::usage_error(fmt::format("device '{}' is named twice", id));
    require_few(devices_.size() + 1);
    if (!devices_.empty() && (devices_.front().kind == "cuda") != (range.kind == "cuda"))
      throw common::usage_error(fmt::format(
          "'{}' and '{}' cannot be measured together: GPUs and host devices do not compare",
          devices_.front().id, id));
    const auto links = index == range.first ? range.links : without_rates(range.links);
    devices_.push_back({range.kind, index, id, links_.add_path(links, part)});
  }

  emulated_links links_;
  std::vector<device> devices_;
};

/// The first so many GPUs, or the host.
devices_choice choose_automatically(int most_devices) {
  devices_choice choice;
  const auto cuda = transfers::find_cuda();
  for (int index = 0; index < std::min(cuda.devices, most_devices); ++index) {
    choice.ids.push_back(fmt::format("cuda:{}", index));
    choice.chosen.push_back(open_cuda(index, choice.ids.back()));
  }
  if (cuda.devices > 0) return choice;
  choice.ids.emplace_back("host");
  choice.chosen.push_back(transfers::open_host_device());
  choice.why_not_gpu = {
      "no_gpu",
      {{"reason", cuda.why_none}},
      fmt::format("No GPU: {}. Measuring on the device 'host': the figures describe this machine's "
                  "memory, not a GPU link.",
                  cuda.why_none)};
  return choice;
}

}  // namespace

devices_choice choose_devices(const std::string& list) {
  if (list == "auto") return choose_automatically(1);
  if (list == "all") return choose_automatically(std::numeric_limits<int>::max());
  return listed_devices(list).open();
}

void require_device_list(const std::string& list) {
  if (list != "auto" && list != "all") static_cast<void>(listed_devices(list));
}

devices_choice choose_device_of_rank(const std::string& list, std::size_t local_rank) {
  const auto require_device = [&](std::size_t devices) {
    if (local_rank >= devices)
      throw common::usage_error(
          fmt::format("local rank {} has no device: this process sees {}", local_rank, devices));
  };
  if (list == "host") return listed_devices(fmt::format("host:{}", local_rank)).open();
  if (list != "auto" && list != "all") {
    const listed_devices devices(list);
    if (devices.size() == 1) return devices.open();
    require_device(devices.size());
    return devices.open(local_rank);
  }
  const auto cuda = transfers::find_cuda();
  if (cuda.devices == 0)
    throw no_device(fmt::format("no GPU: {} (--device=host measures without one)", cuda.why_none));
  // Launchers may show each process its own GPU alone.
  if (cuda.devices == 1) return listed_devices("cuda:0").open();
  require_device(static_cast<std::size_t>(cuda.devices));
  return listed_devices(fmt::format("cuda:{}", local_rank)).open();
}

topology::pci_view pci_view_of(const devices_choice& devices) {
  std::vector<std::string> bus_ids;
  for (const auto& device : devices.chosen) {
    const auto& cuda = device->description().cuda;
    bus_ids.push_back(cuda ? cuda->pci_bus_id : "");
  }
  auto view = topology::read_pci_view(bus_ids);
  view.is_guest = machine::hypervisor().has_value();
  return view;
}

}  // namespace bench_transfers::bench
