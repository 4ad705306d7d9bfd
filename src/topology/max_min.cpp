#include "src/topology/max_min.hpp"

#include <algorithm>
#include <limits>

namespace bench_transfers::topology {
namespace {

/// What is left of a limit while its flows grow.
struct filling {
  double left;
  std::size_t growing;

  [[nodiscard]] double level() const {
    return growing == 0 ? std::numeric_limits<double>::infinity()
                        : std::max(left, 0.0) / static_cast<double>(growing);
  }
};

flow_set without(const flow_set& flows, const flow_set& removed) {
  return {flows.h2d - removed.h2d, flows.d2h - removed.d2h};
}

void set_rates(per_flow& rates, const flow_set& flows, double rate) {
  for (const auto device : flows.h2d.members()) rates[{device, direction::h2d}] = rate;
  for (const auto device : flows.d2h.members()) rates[{device, direction::d2h}] = rate;
}

}  // namespace

double per_flow::sum(const flow_set& flows) const {
  double total = 0;
  for (auto rest = flows.h2d; !rest.empty(); rest = rest - device_set::of(rest.front()))
    total += values_[2 * rest.front()];
  for (auto rest = flows.d2h; !rest.empty(); rest = rest - device_set::of(rest.front()))
    total += values_[2 * rest.front() + 1];
  return total;
}

filled fill(const std::vector<limit>& limits, std::size_t devices, const flow_set& flows) {
  filled result{per_flow(devices), std::vector<flow_set>(limits.size())};
  std::vector<filling> fillings;
  fillings.reserve(limits.size());
  for (const auto& limit : limits) fillings.push_back({limit.capacity, limit.of(flows).size()});
  for (auto growing = flows; growing.size() > 0;) {
    const auto tightest = std::ranges::min_element(fillings, {}, &filling::level);
    if (tightest == fillings.end() || tightest->growing == 0) break;
    const auto level = tightest->level();
    const auto index = static_cast<std::size_t>(tightest - fillings.begin());
    const auto stopped = limits[index].of(growing);
    set_rates(result.rates, stopped, level);
    result.flows[index] = stopped;
    growing = without(growing, stopped);
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const auto count = limits[i].of(stopped).size();
      fillings[i].growing -= count;
      fillings[i].left -= level * static_cast<double>(count);
    }
  }
  return result;
}

}  // namespace bench_transfers::topology
