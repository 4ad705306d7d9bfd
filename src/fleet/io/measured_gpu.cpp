#include "src/fleet/io/measured_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "src/common/printable.hpp"

namespace bench_transfers::fleet {
namespace {

using json = nlohmann::ordered_json;
using result_file::contents;
using result_file::member;
using result_file::row;
using result_file::text_at;

std::optional<int> small_number(const json& value) {
  constexpr int most = 255;
  if (!value.is_number_integer()) return std::nullopt;
  const auto number = value.get<std::int64_t>();
  return number >= 0 && number <= most ? std::optional(static_cast<int>(number)) : std::nullopt;
}

std::optional<std::size_t> whole(const json& value) {
  return value.is_number_unsigned() ? std::optional(value.get<std::size_t>()) : std::nullopt;
}

link link_of(const json& described) {
  return {small_number(member(described, {"generation"})),
          small_number(member(described, {"width"})),
          small_number(member(described, {"generation_max"})),
          small_number(member(described, {"width_max"}))};
}

/// The entries of context.transfers.devices; a file of one device may have only `device`.
std::vector<json> devices_of(const contents& read) {
  const auto& list = member(read.facts, {"devices"});
  if (list.is_array() && !list.empty()) return {list.begin(), list.end()};
  auto device = member(read.facts, {"device"});
  device["link"] = member(read.facts, {"link"});
  return {device};
}

gpu gpu_of(const contents& read, std::size_t index, const json& device, const std::string& node) {
  gpu result;
  const auto& fleet = member(read.facts, {"fleet"});
  const auto named = text_at(fleet, {"node"});
  result.node = named.empty() ? node : named;
  result.rack = text_at(fleet, {"rack"});
  result.rank = whole(member(fleet, {"rank"}));
  result.uuid = text_at(device, {"uuid"});
  result.slot = text_at(device, {"pci_bus_id"});
  result.model = text_at(device, {"name"});
  if (result.model.empty()) result.model = read.on_host ? "host device (no GPU)" : "unknown";
  // The host device has no UUID.
  if (result.uuid.empty())
    result.uuid = fmt::format("{}:{}", result.node, id_of_device(read, index));
  result.link = link_of(member(device, {"link"}));
  for (const auto& warning : read.warnings) result.warnings.insert(warning.code);
  return result;
}

double ns_per(const std::string& unit) {
  return unit == "s" ? 1e9 : unit == "ms" ? 1e6 : unit == "us" ? 1e3 : 1;
}

class collector {
 public:
  collector(const contents& read, const std::string& node) : read_(read) {
    for (const auto& device : devices_of(read)) {
      auto& found = gpus_.emplace_back();
      found.gpu = gpu_of(read, gpus_.size() - 1, device, node);
      found.sweep = text_at(read.facts, {"fleet", "sweep"});
      found.world_size = whole(member(read.facts, {"fleet", "world_size"}));
      found.version = text_at(read.facts, {"program", "version"});
      for (const auto& fault : member(read.facts, {"run", "faults_injected"}))
        if (fault.is_string())
          found.faults.push_back(common::printable(fault.get_ref<const std::string&>()));
      found.started = text_at(read.facts, {"run", "started_utc"});
    }
  }

  std::vector<measured_gpu> run() {
    for (const auto& row : read_.rows)
      if (row.kind == result_file::row_kind::repetition) add(row);
    for (auto& gpu : gpus_) {
      std::ranges::sort(gpu.failed);
      const auto [first, last] = std::ranges::unique(gpu.failed);
      gpu.failed.erase(first, last);
    }
    return std::move(gpus_);
  }

 private:
  void add(const row& row) {
    const auto& described = *row.benchmark;
    if (row.failed) {
      for (const auto device : described.devices)
        if (device < gpus_.size()) gpus_[device].failed.push_back(described.name);
    } else if (!described.flows.empty()) {
      add_flows(row);
    } else if (described.devices.size() == 1 && described.devices.front() < gpus_.size()) {
      const auto time = row.number("real_time");
      if (time)
        add_time(described.devices.front(), name_of(described), described, described.direction,
                 false, *time * ns_per(row.time_unit));
    }
  }

  /// The name without a device.
  static std::string name_of(const result_file::benchmark& described) {
    return result_file::benchmark_name(described.strategy, described.variant, described.size_bytes,
                                       described.cache);
  }

  void add_flows(const row& row) {
    const auto& described = *row.benchmark;
    const std::set<std::size_t> copying(described.devices.begin(), described.devices.end());
    if (copying.size() < gpus_.size() || gpus_.size() < 2 || !described.size_bytes) return;
    for (const auto& [name, number] : row.values) {
      const auto known = read_.metrics.find(*name);
      if (known == read_.metrics.end() || !known->second.flow || known->second.alone) continue;
      const auto& metric = known->second;
      if (metric.kind != result_file::metric_kind::rate || metric.unit != "GB/s") continue;
      const auto& flow = *metric.flow;
      if (flow.device >= gpus_.size()) continue;
      add_time(flow.device,
               fmt::format(
                   "{}/{}",
                   result_file::benchmark_name(described.strategy, to_string(described.direction),
                                               described.size_bytes, described.cache),
                   to_string(flow.direction)),
               described, flow.direction, true,
               static_cast<double>(*described.size_bytes) / number);
    }
  }

  void add_time(std::size_t device, const std::string& name,
                const result_file::benchmark& described, direction towards, bool together,
                double ns) {
    if (!(ns > 0) || !std::isfinite(ns)) return;
    auto& measured = gpus_[device].benchmarks[name];
    measured.limited_by = limited_by(described, read_.on_host);
    measured.towards = towards;
    measured.together = together;
    measured.times.push_back(ns);
  }

  const contents& read_;
  std::vector<measured_gpu> gpus_;
};

}  // namespace

std::vector<measured_gpu> gpus_of(const result_file::contents& read, const std::string& node) {
  return collector(read, node).run();
}

}  // namespace bench_transfers::fleet
