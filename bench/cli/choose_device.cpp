#include "bench/cli/choose_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <regex>
#include <string_view>

#include "src/common/number.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"
#include "src/machine/machine.hpp"
#include "transfers/core/error.hpp"
#include "transfers/host/host_device.hpp"

namespace bench_transfers::bench {
namespace {

common::usage_error bad_device(std::string_view name) {
  const bool is_number = !name.empty() && name.front() != '-' &&
                         name.find_first_not_of("0123456789-") == std::string::npos;
  const auto meant = is_number                         ? fmt::format("cuda:{}", name)
                     : name == "cuda" || name == "gpu" ? std::string("cuda:0")
                                                       : std::string();
  return common::usage_error(
      fmt::format("bad device '{}': {}auto, all, cuda:N, cuda:N-M, host, host:N or "
                  "host:N@LINK=RATE, or a list of them",
                  name, meant.empty() ? "" : fmt::format("did you mean {}? ", meant)));
}

std::optional<int> whole_number(std::string_view text) {
  return text.starts_with('-') ? std::nullopt : common::number_from<int>(text);
}

/// The devices that one part of a list names: "cuda:2-3", "host:0@a=10GB/s", "host".
struct named_range {
  std::string kind;                          ///< "cuda", "host"
  std::optional<int> first = {}, last = {};  ///< none: "host"
  std::string links = {};                    ///< "@a=10GB/s"; empty: none
};

/// `kind` is that of the part before; empty for the first.
named_range parse_range(std::string_view part, std::string_view kind) {
  const auto at = std::min(part.find('@'), part.size());
  const auto device = part.substr(0, at);
  const std::string links(part.substr(at));
  if (device == "host" && links.empty()) return {"host"};
  const auto colon = device.find(':');
  if (colon != std::string_view::npos) kind = device.substr(0, colon);
  if ((kind != "cuda" && kind != "host") || (kind == "cuda" && !links.empty()))
    throw bad_device(part);
  const auto numbers = colon == std::string_view::npos ? device : device.substr(colon + 1);
  const auto dash = std::min(numbers.find('-', 1), numbers.size());
  const auto first = whole_number(numbers.substr(0, dash));
  const auto last = dash == numbers.size() ? first : whole_number(numbers.substr(dash + 1));
  if (!first || !last) throw bad_device(part);
  if (*last < *first)
    throw common::usage_error(
        fmt::format("bad device '{}': {} comes before {}", part, *last, *first));
  return {std::string(kind), first, last, links};
}

/// "10GB/s" in bytes per second.
std::optional<double> parse_rate(std::string_view text) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error != std::errc{} || !(number > 0) || number > 1e9) return std::nullopt;
  if (unit == "GB/s") return number * 1e9;
  if (unit == "MB/s") return number * 1e6;
  return std::nullopt;
}

bool is_link_name(std::string_view name) {
  const auto allowed = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '-';
  };
  return !name.empty() && std::ranges::all_of(name, allowed);
}

/// The emulated links of a list, and the paths of devices over them.
class named_links {
 public:
  /// The path that "@gpu0=56GB/s@switch" means for a device: indices of links, none for "".
  std::vector<std::size_t> add_path(std::string_view text, std::string_view device) {
    std::vector<std::size_t> path;
    while (!text.empty()) {
      text.remove_prefix(1);  // '@'
      const auto end = std::min(text.find('@'), text.size());
      const auto link = find(text.substr(0, end), device);
      if (std::ranges::find(path, link) != path.end())
        throw common::usage_error(fmt::format("device '{}': its path has the link '{}' twice",
                                              device, links_[link].name));
      path.push_back(link);
      text.remove_prefix(end);
    }
    return path;
  }

  [[nodiscard]] const std::vector<transfers::link_description>& all() const { return links_; }

 private:
  /// The link that "LINK=RATE" defines or "LINK" refers to.
  std::size_t find(std::string_view text, std::string_view device) {
    const auto equals = text.find('=');
    const auto name = text.substr(0, equals);
    if (!is_link_name(name)) throw bad_device(device);
    const auto known = std::ranges::find(links_, name, &transfers::link_description::name);
    const auto index = static_cast<std::size_t>(known - links_.begin());
    if (equals == std::string_view::npos) {
      if (known == links_.end())
        throw common::usage_error(
            fmt::format("device '{}': link '{}' has no rate yet: {}=10GB/s", device, name, name));
      return index;
    }
    const auto rate = parse_rate(text.substr(equals + 1));
    if (!rate)
      throw common::usage_error(
          fmt::format("device '{}': bad rate '{}': a number with GB/s or MB/s, up to 10^9", device,
                      text.substr(equals + 1)));
    if (known != links_.end())
      throw common::usage_error(
          fmt::format("device '{}': the rate of link '{}' is given twice", device, name));
    links_.push_back({std::string(name), *rate, *rate, 0});
    return index;
  }

  std::vector<transfers::link_description> links_;
};

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

std::string name_of(const named_range& range, std::optional<int> index) {
  return index ? fmt::format("{}:{}", range.kind, *index) : range.kind;
}

/// Calls add(range, index, part) for each device of a list; without an index for "host".
template <class Add>
void for_each_device(const std::string& list, Add&& add) {
  std::string kind;
  for (const auto& part : common::split(list)) {
    const auto range = parse_range(part, kind);
    kind = range.kind;
    if (!range.first) add(range, std::optional<int>(), part);
    for (int index = range.first.value_or(0); index <= range.last.value_or(-1); ++index)
      add(range, std::optional(index), part);
  }
}

void require_few(std::size_t devices) {
  constexpr std::size_t most_devices = 64;
  if (devices > most_devices)
    throw common::usage_error(fmt::format("too many devices: at most {}", most_devices));
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

  named_links links_;
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

std::vector<std::string> names_in_list(const std::string& list) {
  std::vector<std::string> names;
  for_each_device(list, [&](const auto& range, auto index, const auto& part) {
    if (!range.links.empty()) throw bad_device(part);
    names.push_back(name_of(range, index));
    require_few(names.size());
  });
  return names;
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
