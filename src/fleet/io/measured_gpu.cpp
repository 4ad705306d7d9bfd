#include "src/fleet/io/measured_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/result_file/contradictions.hpp"
#include "src/result_file/entries.hpp"

namespace bench_transfers::fleet {
namespace {

using json = nlohmann::ordered_json;
using result_file::contents;
using result_file::member;
using result_file::row;
using result_file::text_at;

constexpr const char* host_id = "host";  ///< of the one host device of a run without a list

std::optional<int> small_number(const json& value) {
  constexpr int most = 255;
  if (value.is_null()) return std::nullopt;
  if (!value.is_number_integer())
    throw result_file::bad_entry("a generation or width of a link is no whole number");
  const auto number = value.get<std::int64_t>();
  return number >= 0 && number <= most ? std::optional(static_cast<int>(number)) : std::nullopt;
}

/// Nothing if it is null or not there.
std::optional<std::size_t> whole(const json& object, const char* key, std::size_t most) {
  const auto& value = member(object, {key});
  if (value.is_null()) return std::nullopt;
  if (!value.is_number_unsigned() || value.get<std::size_t>() > most)
    throw result_file::bad_entry(
        fmt::format("context.transfers.fleet.{} is no whole number from 0 to {}", key, most));
  return value.get<std::size_t>();
}

/// Whatever the file has there: a fault must not be overlooked because of how it is written.
std::vector<std::string> faults_of(const json& listed) {
  if (listed.is_null() || (listed.is_structured() && listed.empty())) return {};
  std::vector<std::string> faults;
  for (const auto& fault : listed.is_array() ? listed : json::array({listed}))
    faults.push_back(common::printable(fault.is_string() ? fault.get<std::string>()
                                                         : fault.dump(-1, ' ', true)));
  return faults;
}

link link_of(const json& described) {
  return {small_number(member(described, {"generation"})),
          small_number(member(described, {"width"})),
          small_number(member(described, {"generation_max"})),
          small_number(member(described, {"width_max"}))};
}

/// Host devices have no UUID. Those with an index ("host:1") are told apart by it, whoever has
/// started the process: the ranks of a node have one each. Others have that of their rank.
std::string name_without_uuid(const contents& read, std::size_t index, const gpu& gpu) {
  const auto id = id_of_device(read, index);
  const bool has_index = read.on_host && id != host_id;
  return fmt::format("{}:{}{}", gpu.node, id,
                     gpu.rank && !has_index ? fmt::format(":{}", *gpu.rank) : "");
}

gpu gpu_of(const contents& read, std::size_t index, const json& device, const std::string& node) {
  gpu result;
  const auto& fleet = member(read.facts, {"fleet"});
  const auto named = text_at(fleet, {"node"});
  result.node = named.empty() ? node : named;
  result.rack = text_at(fleet, {"rack"});
  result.rank = whole(fleet, "rank", most_ranks);
  result.local_rank = whole(fleet, "local_rank", most_ranks);
  result.local_size = whole(fleet, "local_size", most_ranks);
  result.uuid = text_at(device, {"uuid"});
  result.slot = text_at(device, {"pci_bus_id"});
  result.model = text_at(device, {"name"});
  if (result.model.empty())
    result.model =
        read.on_host ? "host device (no GPU)" : fmt::format("unknown, of {}", result.node);
  if (result.uuid.empty()) result.uuid = name_without_uuid(read, index, result);
  result.on_host = read.on_host;
  result.link = link_of(member(device, {"link"}));
  result.parts = std::min(read.parts, most_parts);
  for (const auto& warning : read.warnings) result.warnings.insert(warning.code);
  return result;
}

void sort_each_once(std::vector<std::string>& names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

class collector {
 public:
  collector(const contents& read, const std::string& node) : read_(read) {
    for (const auto& device : member(read.facts, {"devices"})) {
      auto& found = gpus_.emplace_back();
      found.gpu = gpu_of(read, gpus_.size() - 1, device, node);
      found.sweep = text_at(read.facts, {"fleet", "sweep"});
      found.world_size = whole(member(read.facts, {"fleet"}), "world_size", most_gpus);
      found.version = text_at(read.facts, {"program", "version"});
      found.faults = faults_of(member(read.facts, {"run", "faults_injected"}));
      found.started = common::parse_timestamp(text_at(read.facts, {"run", "started_utc"}));
      found.finished = common::parse_timestamp(text_at(read.facts, {"run", "finished_utc"}));
    }
    for (const auto& skip : read.skipped) add(skip);
  }

  std::vector<measured_gpu> run() {
    for (const auto& row : read_.rows)
      if (row.kind == result_file::row_kind::repetition) add(row);
    for (auto& gpu : gpus_) {
      sort_each_once(gpu.failed);
      sort_each_once(gpu.skipped);
    }
    return std::move(gpus_);
  }

 private:
  /// A strategy that is skipped as a whole has no device.
  void add(const result_file::skipped_benchmark& skip) {
    const auto known = read_.benchmarks.find(skip.name);
    const bool is_strategy = known == read_.benchmarks.end();
    for (std::size_t device = 0; device < gpus_.size(); ++device)
      if (is_strategy)
        gpus_[device].skipped.push_back(skip.name);
      else if (std::ranges::find(known->second.devices, device) != known->second.devices.end())
        gpus_[device].skipped.push_back(name_of(known->second));
  }

  void add(const row& row) {
    const auto& described = *row.benchmark;
    if (!row.failed)
      for (const auto device : described.devices)
        if (auto& ran = gpus_.at(device).ran; ran.insert(name_of(described)).second)
          ran.insert(described.strategy);
    if (row.failed) {
      for (const auto device : described.devices) {
        if (device >= gpus_.size()) continue;
        if (row.failed->code == "wrong_data")
          gpus_[device].gpu.wrong_data.insert(described.name);
        else
          gpus_[device].failed.push_back(described.name);
      }
    } else if (!described.flows.empty()) {
      add_flows(row);
    } else if (described.devices.size() == 1 && described.devices.front() < gpus_.size()) {
      add_time(described.devices.front(), name_of(described), row, described.direction, false,
               row.number("real_time").value_or(0) * result_file::ns_per_unit(row));
    }
  }

  /// The name without a device. Most rows are of the benchmark of the row before.
  const std::string& name_of(const result_file::benchmark& described) {
    if (std::exchange(named_, &described) != &described)
      name_ = result_file::benchmark_name(described.strategy, described.variant,
                                          described.size_bytes, described.cache);
    return name_;
  }

  /// A kernel that reads or writes host memory itself is no copy, and cold caches slow no link.
  static std::optional<std::size_t> copied_bytes(const result_file::benchmark& described,
                                                 direction towards, benchmark_class kind) {
    const bool is_copy = described.role == "copy" || described.role == "concurrent";
    const bool is_one_way = towards == direction::h2d || towards == direction::d2h;
    return kind == benchmark_class::link && is_copy && is_one_way && !described.in_place
               ? described.size_bytes
               : std::nullopt;
  }

  void add_flows(const row& row) {
    const auto& described = *row.benchmark;
    const std::set<std::size_t> copying(described.devices.begin(), described.devices.end());
    const bool is_of_ranks = described.set && described.set->kind == result_file::set_kind::ranks;
    const auto at_once =
        is_of_ranks ? row.number("ranks").value_or(0) : static_cast<double>(gpus_.size());
    if (copying.size() < gpus_.size() || !(at_once > 1) || !described.size_bytes) return;
    for (const auto& [name, number] : row.values) {
      const auto known = read_.metrics.find(*name);
      if (known == read_.metrics.end() || !known->second.flow || known->second.alone) continue;
      const auto& metric = known->second;
      if (metric.kind != result_file::metric_kind::rate || metric.unit != "GB/s") continue;
      const auto& flow = *metric.flow;
      if (flow.device >= gpus_.size()) continue;
      add_time(flow.device,
               fmt::format(
                   "{}/{}, {} at once",
                   result_file::benchmark_name(described.strategy, to_string(described.direction),
                                               described.size_bytes, described.cache),
                   to_string(flow.direction), at_once),
               row, flow.direction, true, static_cast<double>(*described.size_bytes) / number);
    }
  }

  void add_time(std::size_t device, const std::string& name, const row& row, direction towards,
                bool together, double ns) {
    const auto& described = *row.benchmark;
    if (!(ns >= shortest_time && ns < longest_time)) {
      gpus_[device].failed.push_back(described.name);
      return;
    }
    auto& measured = gpus_[device].benchmarks[name];
    if (measured.times.empty()) {
      measured.limited_by = limited_by(described, read_.on_host);
      measured.towards = towards;
      measured.together = together;
      measured.copied_bytes = copied_bytes(described, towards, measured.limited_by);
      measured.procedure = result_file::procedure_of(row);
      measured.times.emplace_back();
    }
    measured.times.front().push_back(ns);
  }

  const contents& read_;
  std::vector<measured_gpu> gpus_;
  const result_file::benchmark* named_ = nullptr;
  std::string name_;  ///< of `named_`
};

}  // namespace

std::vector<measured_gpu> gpus_of(const result_file::contents& read, const std::string& node) {
  return collector(read, node).run();
}

}  // namespace bench_transfers::fleet
