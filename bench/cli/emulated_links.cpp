#include "bench/cli/emulated_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "bench/cli/device_names.hpp"

namespace bench_transfers::bench {
namespace {

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

}  // namespace

std::vector<std::size_t> emulated_links::add_path(std::string_view text, std::string_view device) {
  std::vector<std::size_t> path;
  while (!text.empty()) {
    text.remove_prefix(1);  // '@'
    const auto end = std::min(text.find('@'), text.size());
    const auto link = find(text.substr(0, end), device);
    if (std::ranges::find(path, link) != path.end())
      throw common::usage_error(
          fmt::format("device '{}': its path has the link '{}' twice", device, links_[link].name));
    path.push_back(link);
    text.remove_prefix(end);
  }
  return path;
}

std::size_t emulated_links::find(std::string_view text, std::string_view device) {
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

}  // namespace bench_transfers::bench
