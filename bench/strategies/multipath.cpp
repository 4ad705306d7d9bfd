#include "transfers/fast/multipath.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "bench/strategy/strategy.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {
namespace {

using result_file::metric_kind;
using transfers::host_memory_kind;

constexpr std::size_t mib = std::size_t{1} << 20;

/// What the copier has measured of the links, and from which size on it divides copies.
std::vector<measured_metric> metrics_of(const transfers::multipath_copier& copier,
                                        transfers::direction direction) {
  const auto& route = copier.settings()[direction];
  const auto rate =
      std::accumulate(route.links.begin(), route.links.end(), 0.0,
                      [](double sum, const auto& link) { return sum + link.bytes_per_second; });
  return {{{"multipath_links", "1", metric_kind::count, {}, "links to the host that copies use"},
           static_cast<double>(copier.links())},
          {{"multipath_own_link_percent",
            "%",
            metric_kind::share,
            {},
            "share of the device's own link in large copies"},
           100 * route.links.front().bytes_per_second / rate},
          {{"multipath_least_bytes",
            "B",
            metric_kind::size,
            {},
            "from which size on copies are divided"},
           static_cast<double>(route.least_bytes)}};
}

/// Divided among the links of all devices, as measured on this machine. The device's own link
/// carries small copies alone (their rows have no multipath_links).
transfer prepare(const job& task, host_memory_kind kind) {
  const auto direction = task.direction;
  const auto ends = ends_of(task, kind, direction);
  auto copy = transfer_between(ends);
  const auto copier = task.memory.multipath_copier(task.other_devices);
  if (copier->links() == 1)
    throw transfers::unsupported(
        "no other device of this run has access to the memory of this one, and it to theirs");
  if (task.bytes >= copier->settings()[direction].least_bytes)
    copy.derive = [copier, direction](const metric_values&) {
      return metrics_of(*copier, direction);
    };
  copy.steps = {{"copy", [copier, ends, direction] {
                   copier->copy(ends.destination.data, ends.source.data, ends.source.bytes,
                                direction);
                 }}};
  return copy;
}

const registration multipath{host_memory_family{
    .family = "copy",
    .parts = {method("multipath")},
    .summary = "copies over the links of all devices of the run",
    .variants = both_directions(),
    .role = roles::copy,
    .kinds = {transfers::pageable, transfers::pinned()},
    .prepare = prepare,
    .adjust = [](strategy& copy) {
      copy.plainness = 3;
      copy.shares_link = false;  // a single link does not limit it
      copy.needs.other_devices = true;
      // Access to peers stays enabled for the process, and slows allocations.
      copy.sampling.on_request = true;
      copy.needs.fixed_host_memory = 512 * mib;  // test copies, and chunks for ordinary memory
      copy.sampling.smallest = mib;
      copy.sampling.cold = false;
    }}};

}  // namespace
}  // namespace bench_transfers::bench
