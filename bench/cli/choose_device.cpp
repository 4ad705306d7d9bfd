#include "bench/cli/choose_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "src/common/command_line.hpp"
#include "transfers/core/error.hpp"
#include "transfers/host/host_device.hpp"

namespace bench_transfers::bench {
namespace {

using links = std::map<std::string, std::shared_ptr<transfers::emulated_link>, std::less<>>;

std::vector<std::string> split_at_commas(std::string_view list) {
  std::vector<std::string> names;
  for (;;) {
    const auto comma = list.find(',');
    names.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return names;
    list.remove_prefix(comma + 1);
  }
}

common::usage_error bad_device(std::string_view name) {
  return common::usage_error(fmt::format(
      "bad device '{}': auto, cuda:N, host, host:N or host:N@LINK=RATE, or a list of them", name));
}

/// The N of "cuda:N".
std::optional<int> index_after(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  int index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error != std::errc{} || end != name.data() + name.size() || index < 0) return std::nullopt;
  return index;
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

/// The link that "LINK=RATE" defines or "LINK" refers to.
std::shared_ptr<transfers::emulated_link> find_link(std::string_view text, std::string_view device,
                                                    links& known_links) {
  const auto equals = text.find('=');
  const auto name = text.substr(0, equals);
  if (!is_link_name(name)) throw bad_device(device);
  const auto known = known_links.find(name);
  if (equals == std::string_view::npos) {
    if (known == known_links.end())
      throw common::usage_error(
          fmt::format("device '{}': link '{}' has no rate yet: {}=10GB/s", device, name, name));
    return known->second;
  }
  const auto rate = parse_rate(text.substr(equals + 1));
  if (!rate)
    throw common::usage_error(
        fmt::format("device '{}': bad rate '{}': a number with GB/s or MB/s, up to 10^9", device,
                    text.substr(equals + 1)));
  if (known != known_links.end())
    throw common::usage_error(
        fmt::format("device '{}': the rate of link '{}' is given twice", device, name));
  auto link = std::make_shared<transfers::emulated_link>(
      transfers::link_description{std::string(name), *rate, *rate, 0});
  known_links.emplace(name, link);
  return link;
}

std::unique_ptr<transfers::device> open_cuda(int index, std::string_view name) {
  try {
    return transfers::open_cuda_device(index);
  } catch (const transfers::unsupported& absent) {
    throw common::usage_error(fmt::format("device {}: {}", name, absent.what()));
  }
}

std::unique_ptr<transfers::device> open_device(const std::string& name, links& known_links) {
  if (name == "host") return transfers::open_host_device();
  if (const auto index = index_after("cuda:", name)) return open_cuda(*index, name);
  const std::string_view view = name;
  const auto at = view.find('@');
  const auto index = index_after("host:", view.substr(0, at));
  if (!index) throw bad_device(name);
  transfers::host_device_options options{.index = index};
  if (at != std::string_view::npos)
    options.link = find_link(view.substr(at + 1), view, known_links);
  return transfers::open_host_device(options);
}

devices_choice choose_automatically() {
  devices_choice choice;
  const auto cuda = transfers::find_cuda();
  if (cuda.devices > 0) {
    choice.chosen.push_back(transfers::open_cuda_device(0));
    return choice;
  }
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
  if (list == "auto") return choose_automatically();
  const auto names = split_at_commas(list);
  std::set<std::string> opened;
  links known_links;
  devices_choice choice;
  for (const auto& name : names) {
    if (!opened.insert(name.substr(0, name.find('@'))).second)
      throw common::usage_error(fmt::format("device '{}' is named twice", name));
    choice.chosen.push_back(open_device(name, known_links));
  }
  return choice;
}

device_choice choose_device(const std::string& name) {
  auto choice = choose_devices(name);
  if (choice.chosen.size() > 1)
    throw common::usage_error(fmt::format(
        "'{}' names {} devices: only one can be measured at a time", name, choice.chosen.size()));
  return {std::move(choice.chosen.front()), std::move(choice.why_not_gpu)};
}

}  // namespace bench_transfers::bench
