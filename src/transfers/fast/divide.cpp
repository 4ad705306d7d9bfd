#include "src/transfers/fast/divide.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace transfers::detail {
namespace {

/// When all links end that take part, which are those that begin before that.
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

std::vector<std::size_t> bytes_of_links(std::size_t bytes, std::span<const multipath::link> links,
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

link_part whole(std::size_t bytes) { return {bytes, std::max<std::size_t>(bytes, 1)}; }

}  // namespace

link_part cut_for_helper(std::size_t bytes, const multipath::link& link) {
  constexpr auto largest = multipath_copier::largest_chunk;
  auto chunks = (bytes + largest - 1) / largest;
  if (link.peer_bytes_per_second > 0) {
    // n chunks take n * cost and bytes / n / peer_bytes_per_second longer than the part alone:
    // least for this n. The cost is that of two H100s, by a probe.
    constexpr double cost_of_chunk = 5e-6;  // seconds: two calls, and the engines' gaps
    constexpr std::size_t least_chunk = std::size_t{256} << 10;
    const auto best =
        std::sqrt(static_cast<double>(bytes) / (cost_of_chunk * link.peer_bytes_per_second));
    const auto most = bytes / least_chunk;
    chunks = std::max(chunks, std::min(static_cast<std::size_t>(std::lround(best)), most));
  }
  chunks = std::max<std::size_t>(chunks, 1);
  const auto pages = (bytes + chunks * unit_of_parts - 1) / (chunks * unit_of_parts);
  return {bytes, std::max<std::size_t>(pages, 1) * unit_of_parts};
}

double passing_on(const link_part& part, const multipath::link& link) {
  if (link.peer_bytes_per_second <= 0) return 0;
  return static_cast<double>(std::min(part.bytes, part.chunk_bytes)) / link.peer_bytes_per_second;
}

std::vector<link_part> divide(std::size_t bytes, std::span<const multipath::link> links,
                              std::size_t unit) {
  // The last chunk's way depends little on the part: this converges at once.
  constexpr int rounds = 3;
  const auto cut = [&](std::size_t i, std::size_t part) {
    return i == 0 ? whole(part) : cut_for_helper(part, links[i]);
  };
  std::vector<link_part> parts;
  for (std::size_t i = 0; i < links.size(); ++i) parts.push_back(cut(i, bytes / links.size()));
  for (int round = 0; round < rounds; ++round) {
    std::vector<multipath::link> later(links.begin(), links.end());
    for (std::size_t i = 0; i < links.size(); ++i)
      later[i].seconds += passing_on(parts[i], links[i]);
    const auto sizes = bytes_of_links(bytes, later, unit);
    for (std::size_t i = 0; i < links.size(); ++i) parts[i] = cut(i, sizes[i]);
  }
  return parts;
}

std::vector<link_part> for_first_link(std::size_t bytes, std::size_t links) {
  std::vector<link_part> parts(links);
  parts.front() = whole(bytes);
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
