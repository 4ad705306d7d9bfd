#include "transfers/fast/multipath.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "bench/strategy/strategy.hpp"
#include "src/transfers/core/units.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::multipath_strategies {
namespace {

using transfers::host_memory_kind;

using transfers::detail::mib;

/// How the copy is divided, and what the copier has measured of the links.
std::vector<measured_metric> metrics_of(const transfers::multipath_copier& copier, const ends& ends,
                                        transfers::direction direction, bool page_locked) {
  const auto bytes = ends.source.bytes;
  const auto& host = ends.source.on_device ? ends.destination : ends.source;
  const auto& route = copier.settings()[direction];
  const auto used = copier.links_of(host.data, bytes, direction);
  std::vector<measured_metric> metrics{
      {count_metric("multipath_links", "links to the host that the copy uses"),
       static_cast<double>(used)}};
  const auto least = page_locked ? route.least_bytes : route.least_pageable_bytes;
  if (least != transfers::multipath::never)
    metrics.push_back(
        {size_metric("multipath_least_bytes", "from which size on copies are divided"),
         static_cast<double>(least)});
  if (used == 1) return metrics;
  const auto rate =
      std::accumulate(route.links.begin(), route.links.end(), 0.0,
                      [](double sum, const auto& link) { return sum + link.bytes_per_second; });
  metrics.push_back(
      {share_metric("multipath_own_link_percent", "share of the device's own link in large copies"),
       100 * route.links.front().bytes_per_second / rate});
  return metrics;
}

/// Divided among the links of all devices, as measured on this machine. The same copy by the
/// device's own link alone is timed in turn with it.
transfer prepare(const job& task, host_memory_kind kind) {
  const auto direction = task.direction;
  const auto ends = ends_of(task, kind, direction);
  const auto copier = task.memory.multipath_copier(task.other_devices);
  if (copier->links() == 1)
    throw transfers::unsupported(
        "no other device of this run has access to the memory of this one, and it to theirs");
  auto copy = transfer_between(ends);
  copy.steps = {{"copy", copy_with(copier, ends, direction)}};
  const auto alone = std::make_shared<transfers::multipath_copier>(
      task.device, std::span<transfers::device* const>(), transfers::multipath());
  copy.against = {{.name = "one_link",
                   .description = "the same copy by the device's own link alone, in turn",
                   .run = copy_with(alone, ends, direction),
                   .bytes = task.bytes}};
  copy.derive = [copier, ends, direction,
                 page_locked = is_page_locked(kind)](const metric_values&) {
    return metrics_of(*copier, ends, direction, page_locked);
  };
  return copy;
}

const registration multipath{host_memory_family{
    .common = {.family = "copy",
               .parts = {method("multipath")},
               .summary = "copies over the links of all devices of the run",
               .calls = "transfers::multipath_copier copier(gpu, helpers);\n"
                        "copier.copy($[device|host], $[host|device], bytes, "
                        "transfers::direction::$[h2d|d2h]);",
               .variants = both_directions(),
               .role = roles::copy,
               .plainness = 3,
               .shares_link = false,  // a single link does not limit it
               // Test copies, and chunks for pageable memory.
               .needs = {.fixed_host_memory = 512 * mib, .other_devices = true},
               // Access to peers stays enabled for the process, and slows allocations.
               .sampling = {.smallest = mib, .cold = false, .on_request = true}},
    .kinds = {transfers::pageable, transfers::pinned()},
    .prepare = prepare}};

}  // namespace
}  // namespace bench_transfers::bench::multipath_strategies
