#include "src/transfers/fast/divide.hpp"

#include <algorithm>
#include <numeric>

namespace transfers::detail {
namespace {

/// When all links end that take part, which are those with a latency below that time.
double common_end(double bytes, std::span<const multipath::link> links) {
  std::vector<multipath::link> sorted(links.begin(), links.end());
  std::ranges::sort(sorted, {}, &multipath::link::seconds);
  double rates = 0;
  double lost = 0;  // bytes that the links would move before they begin
  double end = 0;
  for (const auto& link : sorted) {
    if (rates > 0 && link.seconds >= end) break;
    rates += link.bytes_per_second;
    lost += link.bytes_per_second * link.seconds;
    end = (bytes + lost) / rates;
  }
  return end;
}

}  // namespace

std::vector<std::size_t> divide(std::size_t bytes, std::span<const multipath::link> links,
                                std::size_t unit) {
  const auto end = common_end(static_cast<double>(bytes), links);
  std::vector<std::size_t> parts(links.size());
  auto left = bytes;
  for (std::size_t i = links.size(); i-- > 0;) {
    const auto exact = std::max(0.0, end - links[i].seconds) * links[i].bytes_per_second;
    parts[i] = std::min(static_cast<std::size_t>(exact) / unit * unit, left);
    left -= parts[i];
  }
  const auto first = std::ranges::find_if(parts, [](std::size_t part) { return part > 0; });
  (first == parts.end() ? parts.front() : *first) += left;
  return parts;
}

std::vector<std::size_t> for_first_link(std::size_t bytes, std::size_t links) {
  std::vector<std::size_t> parts(links);
  parts.front() = bytes;
  return parts;
}

std::vector<std::size_t> take_turns(std::span<const multipath::link> links, std::size_t chunks) {
  std::vector<std::size_t> turns;
  std::vector<double> busy_until(links.size());
  for (std::size_t i = 0; i < chunks; ++i) {
    const auto end_on = [&](std::size_t link) {
      return busy_until[link] + 1 / links[link].bytes_per_second;
    };
    std::vector<std::size_t> order(links.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto next = *std::ranges::min_element(order, {}, end_on);
    busy_until[next] = end_on(next);
    turns.push_back(next);
  }
  return turns;
}

}  // namespace transfers::detail
