#include "tests/simulation/made_up_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "src/topology/infer/infer.hpp"

namespace bench_transfers::simulation {
namespace {

using topology::limit;

constexpr std::size_t repetitions = 5;

double uniform(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

std::size_t whole(std::mt19937_64& random, std::size_t low, std::size_t high) {
  return std::uniform_int_distribution<std::size_t>(low, high)(random);
}

class growing_host {
 public:
  growing_host(const tree_shape& shape, std::mt19937_64& random) : random_(random), shape_(shape) {
    host_.devices = shape.devices;
    names_.resize(shape.devices);
    std::iota(names_.begin(), names_.end(), std::size_t{0});
    if (shape.shuffled) std::ranges::shuffle(names_, random_);
    add_own_links();
    if (shape.depth == 0) return;
    if (shape.devices == 2 || uniform(random_, 0, 1) < 0.5) {
      grow(0, shape.devices, shape.depth);
    } else {
      split(0, shape.devices, shape.depth);
    }
  }

  made_up_host take() { return std::move(host_); }

 private:
  void add_own_links() {
    const double h2d = uniform(random_, 20e9, 60e9);
    const double d2h = h2d * uniform(random_, 0.9, 1);
    const double both = (h2d + d2h) * uniform(random_, 0.75, 1);
    const auto shares = shares_if(shape_.unfair_devices);
    for (std::size_t device = 0; device < host_.devices; ++device) {
      const auto devices = device_set::of(device);
      const double part = shape_.unequal ? uniform(random_, 0.5, 1) : 1;
      host_.own.push_back({devices, traffic::h2d, part * h2d});
      host_.own.push_back({devices, traffic::d2h, part * d2h});
      host_.own.push_back({devices, traffic::both, part * both, shares});
    }
  }

  topology::direction_shares shares_if(bool unfair) {
    if (!unfair) return {};
    const double ratio = std::exp(uniform(random_, std::log(0.5), std::log(2)));
    return {ratio / (1 + ratio), 1 / (1 + ratio)};
  }

  /// A link of depth levels over the devices first to last - 1.
  void grow(std::size_t first, std::size_t last, std::size_t depth) {
    if (last - first < 2) return;
    if (depth > 1) split(first, last, depth - 1);
    add_link(first, last);
  }

  /// Two to four parts, each with a link of its own if it has two devices or more. Two devices
  /// stay together.
  void split(std::size_t first, std::size_t last, std::size_t depth) {
    const auto parts = std::min<std::size_t>(whole(random_, 2, 4), last - first - 1);
    if (parts < 2) return;
    std::vector<std::size_t> ends{first, last};
    while (ends.size() < parts + 1) {
      const auto end = whole(random_, first + 1, last - 1);
      if (std::ranges::find(ends, end) == ends.end()) ends.push_back(end);
    }
    std::ranges::sort(ends);
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) grow(ends[i], ends[i + 1], depth);
  }

  void add_link(std::size_t first, std::size_t last) {
    device_set devices;
    for (auto i = first; i < last; ++i) devices = devices | device_set::of(names_[i]);
    const auto demand = [&](traffic kind) {
      const auto flows = topology::flows_of(devices, kind);
      return topology::fill(host_.limits(), host_.devices, flows).rates.sum(flows);
    };
    const double part = uniform(random_, 0.3, 1.3);
    const bool alike = uniform(random_, 0, 1) < 0.7;
    const double h2d = part * demand(traffic::h2d);
    const double d2h = (alike ? part : uniform(random_, 0.3, 1.3)) * demand(traffic::d2h);
    host_.shared.push_back({devices, traffic::h2d, h2d});
    host_.shared.push_back({devices, traffic::d2h, d2h});
    if (uniform(random_, 0, 1) >= 0.5) return;
    const double both = uniform(random_, 0.5, 1) * (h2d + d2h);
    host_.shared.push_back({devices, traffic::both, both, shares_if(shape_.unfair_links)});
  }

  std::mt19937_64& random_;
  tree_shape shape_;
  std::vector<std::size_t> names_;
  made_up_host host_;
};

}  // namespace

std::vector<limit> made_up_host::limits() const {
  auto list = own;
  list.insert(list.end(), shared.begin(), shared.end());
  return list;
}

double made_up_drift::factor(double sets) const {
  if (sets < begin) return 1;
  return 1 - part * (length > 0 ? std::min(1.0, (sets - begin) / length) : 1);
}

made_up_measurement::made_up_measurement(made_up_host host, made_up_noise noise, std::uint64_t seed,
                                         made_up_drift drift)
    : host_(std::move(host)),
      noise_(noise),
      drift_(drift),
      random_(seed),
      weights_(host_.devices, 1) {
  if (noise_.unfairness > 0)
    for (auto& weight : weights_)
      weight = std::normal_distribution<double>(1, noise_.unfairness)(random_);
}

std::vector<limit> made_up_measurement::limits() const {
  auto limits = host_.limits();
  for (auto& limit : limits)
    if (limit.devices.size() > 1 ? drift_.links : drift_.devices.contains(limit.devices))
      limit.capacity *= drift_.factor(sets_);
  return limits;
}

/// Flows that a shared link holds back divide what they have by the weights of their devices.
topology::per_flow made_up_measurement::rates(const flow_set& flows) const {
  const auto limits = this->limits();
  auto result = topology::fill(limits, host_.devices, flows);
  for (std::size_t i = host_.own.size(); i < limits.size(); ++i) {
    const auto total = result.rates.sum(result.flows[i]);
    double weighted = 0;
    for (const auto& flow : topology::list_of(result.flows[i]))
      weighted += result.rates[flow] *= weights_[flow.device];
    for (const auto& flow : topology::list_of(result.flows[i]))
      result.rates[flow] *= total / weighted;
  }
  return result.rates;
}

topology::observation made_up_measurement::operator()(const flow_set& flows) {
  const auto expected = rates(flows);
  ++sets_;
  topology::observation observed{flows, {}, {}};
  const auto around_one = [&](double deviation) {
    return deviation > 0 ? std::normal_distribution<double>(1, deviation)(random_) : 1;
  };
  for (const auto& flow : topology::list_of(flows)) {
    const auto rate = expected[flow] * around_one(noise_.sets);
    observed.rates.emplace_back();
    for (std::size_t i = 0; i < repetitions; ++i)
      observed.rates.back().push_back(rate * around_one(noise_.repetitions));
  }
  return observed;
}

made_up_host random_host(const tree_shape& shape, std::mt19937_64& random) {
  return growing_host(shape, random).take();
}

std::vector<true_limit> effects_of(const made_up_host& host) {
  std::vector<true_limit> list;
  const auto with = host.limits();
  for (std::size_t i = 0; i < host.shared.size(); ++i) {
    const auto& removed = host.shared[i];
    auto rest = with;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(host.own.size() + i));
    const auto flows = topology::flows_of(removed.devices, removed.kind);
    const auto total = topology::fill(with, host.devices, flows).rates.sum(flows);
    const auto more = topology::fill(rest, host.devices, flows).rates.sum(flows);
    list.push_back({removed.devices, removed.kind, 1 - total / more});
  }
  return list;
}

bool has(const topology::host_map& map, const true_limit& limit) {
  return std::ranges::any_of(map.links, [&](const auto& link) {
    return link.devices == limit.devices && link.of(limit.kind).has_value();
  });
}

namespace {

/// Links and devices that the map takes for unfair, but that are fair.
std::size_t unfair_where_fair(const made_up_host& host, const topology::host_map& map) {
  constexpr double alike = 0.02;
  std::size_t count = 0;
  for (const auto& link : map.links)
    if (link.both && link.both->shares)
      count += std::ranges::count_if(host.shared, [&](const limit& other) {
        return other.devices == link.devices && other.kind == traffic::both &&
               other.shares.are_fair();
      });
  for (std::size_t device = 0; device < host.devices; ++device) {
    if (!map.alone[device].shares) continue;
    const auto alone = topology::flows_of(device_set::of(device), traffic::both);
    const auto rates = topology::fill(host.limits(), host.devices, alone).rates;
    const auto ratio =
        rates[{device, topology::direction::h2d}] / rates[{device, topology::direction::d2h}];
    if (std::abs(std::log(ratio)) < alike) ++count;
  }
  return count;
}

}  // namespace

recovery compare(const made_up_host& host, const topology::host_map& map) {
  recovery result;
  const auto truth = effects_of(host);
  for (const auto& limit : truth) {
    if (limit.effect < counted_effect) continue;
    ++result.counted;
    if (!has(map, limit)) ++result.missed;
  }
  for (const auto& link : map.links)
    for (const auto kind : topology::every_traffic)
      if (link.of(kind) && std::ranges::none_of(truth, [&](const auto& limit) {
            return limit.devices == link.devices && limit.kind == kind && limit.effect > 1e-9;
          }))
        ++result.invented;
  result.invented += unfair_where_fair(host, map);
  return result;
}

made_up_host even_host(std::size_t devices, std::vector<limit> shared) {
  made_up_host host{devices, {}, std::move(shared)};
  for (std::size_t device = 0; device < devices; ++device)
    for (const auto kind : topology::every_traffic)
      host.own.push_back({device_set::of(device), kind, kind == traffic::both ? 100e9 : 50e9});
  return host;
}

made_up_host host_of_issue_357() {
  made_up_host host{8, {}, {}};
  for (std::size_t device = 0; device < host.devices; ++device) {
    host.own.push_back({device_set::of(device), traffic::h2d, 56.2e9});
    host.own.push_back({device_set::of(device), traffic::d2h, 56.2e9});
  }
  for (const auto kind : {traffic::h2d, traffic::d2h}) {
    host.shared.push_back({device_set::of({0, 1}), kind, 2 * 44.6e9});
    host.shared.push_back({device_set::of({2, 3}), kind, 2 * 43.7e9});
    host.shared.push_back({device_set::of({4, 5, 6, 7}), kind, 4 * 25.4e9});
  }
  return host;
}

std::vector<std::string> names_of_devices(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("cuda:{}", i));
  return names;
}

topology::host_map measured_map(const made_up_host& host, const made_up_noise& noise,
                                std::uint64_t seed, const made_up_drift& drift) {
  made_up_measurement measure(host, noise, seed, drift);
  return topology::infer({}, names_of_devices(host.devices),
                         [&](const topology::flow_set& flows) { return measure(flows); });
}

}  // namespace bench_transfers::simulation
