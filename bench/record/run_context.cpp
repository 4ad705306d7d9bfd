#include "bench/record/run_context.hpp"

#include <chrono>
#include <functional>
#include <set>

#include "bench/harness/rows.hpp"
#include "bench/record/link.hpp"
#include "bench/record/memory_probe.hpp"
#include "bench/record/program_facts.hpp"
#include "bench/record/warnings.hpp"
#include "src/common/message.hpp"
#include "src/machine/machine.hpp"

namespace bench_transfers::bench {
namespace {

using json = nlohmann::ordered_json;

/// Null: whoever runs the machine has set nothing.
json site_defaults(const settings& settings) {
  if (settings.site_options.empty()) return nullptr;
  return {{"file", settings.site_file}, {"options", settings.site_options}};
}

json run_settings(const settings& settings) {
  json run{{"profile", settings.profile_name},
           {"seed", settings.seed},
           {"rounds", settings.rounds},
           {"min_time_ms", std::chrono::duration<double, std::milli>(settings.min_time).count()},
           {"max_time_s", settings.max_time
                              ? json(std::chrono::duration<double>(*settings.max_time).count())
                              : json(nullptr)},
           {"sizes", settings.sizes},
           {"cold_sizes", settings.cold_sizes},
           {"random_order", settings.shuffle},
           {"faults_injected", common::list_of(settings.faults, std::mem_fn(&fault::text))},
           {"labels", settings.labels},
           {"note", common::or_null(settings.note)},
           {"command_line", settings.command_line},
           {"options", settings.options},
           {"site_defaults", site_defaults(settings)},
           {"started_utc", utc_now()},
           {"finished_utc", nullptr},
           {"interrupted_by", nullptr}};
  if (settings.processes > 1) run["processes"] = settings.processes;
  return run;
}

/// The rates are settings, not measurements; null: no limit.
json emulated_link_facts(const transfers::link_description& link) {
  const auto rate = [](double bytes_per_second) {
    return bytes_per_second > 0 ? json(bytes_per_second / 1e9) : json(nullptr);
  };
  return {{"name", link.name},
          {"h2d_gb_per_s", rate(link.h2d_bytes_per_second)},
          {"d2h_gb_per_s", rate(link.d2h_bytes_per_second)},
          {"both_gb_per_s", rate(link.both_bytes_per_second)}};
}

json device_facts(const transfers::device& device, const observation& start,
                  const std::optional<common::message>& why_not_gpu) {
  const auto& description = device.description();
  json facts{{"kind", description.kind},
             {"name", description.name},
             {"why_not_gpu", why_not_gpu ? to_json(*why_not_gpu) : json(nullptr)}};
  if (description.emulated_link)
    facts["emulated_link"] = emulated_link_facts(*description.emulated_link);
  for (const auto& link : description.emulated_path)
    facts["emulated_link"]["path"].push_back(emulated_link_facts(link));
  if (!description.cuda) return facts;
  const auto& cuda = *description.cuda;
  facts.update({{"index", cuda.index},
                {"uuid", cuda.uuid},
                {"pci_bus_id", cuda.pci_bus_id},
                {"numa_node", common::or_null(start.node.agreed())},
                {"numa_node_sources", machine::to_json(start.node)},
                {"mig", common::or_null(start.is_instance)},
                {"confidential_computing", common::or_null(start.is_confidential)},
                {"compute_capability", cuda.compute_capability},
                {"multiprocessors", cuda.multiprocessors},
                {"copy_engines", cuda.copy_engines},
                {"memory_bytes", cuda.memory_bytes},
                {"driver_version", common::or_null(machine::nvidia_driver_version())},
                {"driver_cuda_version", cuda.driver_cuda_version},
                {"runtime_cuda_version", cuda.runtime_cuda_version},
                {"maps_host_memory", cuda.maps_host_memory},
                {"pageable_memory_access", cuda.pageable_memory_access},
                {"host_page_tables", cuda.host_page_tables},
                {"concurrent_managed_access", cuda.concurrent_managed_access},
                {"integrated", cuda.integrated}});
  return facts;
}

/// An entry in the list of devices, with the device's link and clocks.
json entry_of(const observed_device& observed, const std::optional<common::message>& why_not_gpu) {
  json entry{{"id", observed.id}};
  entry.update(device_facts(observed.device, observed.start, why_not_gpu));
  entry["link"] = to_json(observed.start.link);
  entry["clocks"] = machine::to_json({.start = observed.start.clocks}).at("gpu");
  return entry;
}

json rates_of(const machine::access_times& times) {
  const auto rate = [](std::optional<double> ns) {
    return ns ? json(static_cast<double>(cpu::probed_bytes) / *ns) : json(nullptr);
  };
  return {{"plain_gb_per_s", rate(times.plain)},
          {"streaming_gb_per_s", rate(times.streaming)},
          {"again_gb_per_s", rate(times.again)}};
}

json to_json(const std::optional<machine::store_times>& times) {
  if (!times) return nullptr;
  return {{"one_of_each_line_ns", times->one_of_each_line}, {"all_ns", times->all}};
}

/// `probed`: what the CPU's accesses to them take, as far as it was measured.
json buffer_facts(const buffers& memory, const cpu::probed_blocks& probed) {
  json facts = json::array();
  for (const auto& [kind, block] : memory.all_host()) {
    json entry{{"memory", to_string(kind)},
               {"bytes", block.size()},
               {"write_combined", has(kind.flags, transfers::pin_flags::write_combined)},
               {"same_address_on_device", block.on_device() == block.data()},
               {"memory_type", nullptr},
               {"cpu_reads", nullptr},
               {"cpu_reads_of_ordinary_memory", nullptr},
               {"cpu_stores", nullptr}};
    if (const auto times = probed.find(kind); times != probed.end()) {
      const auto& [of_it, of_ordinary] = times->second;
      entry["memory_type"] = to_string(classify(of_it, of_ordinary));
      entry["cpu_reads"] = rates_of(of_it);
      entry["cpu_reads_of_ordinary_memory"] = rates_of(of_ordinary);
      entry["cpu_stores"] = to_json(of_it.stores);
    }
    facts.push_back(std::move(entry));
  }
  return facts;
}

/// The strategies of benchmarks, each once.
std::vector<const strategy*> strategies_of(const std::vector<benchmark_case>& benchmarks) {
  std::vector<const strategy*> strategies;
  std::set<const strategy*> known;
  for (const auto& described : benchmarks)
    if (known.insert(described.measured).second) strategies.push_back(described.measured);
  return strategies;
}

std::vector<benchmark_case> planned_benchmarks(const plan& plan) {
  auto benchmarks = plan.cases;
  benchmarks.insert(benchmarks.end(), plan.set_aside.begin(), plan.set_aside.end());
  return benchmarks;
}

/// The planned benchmarks, and the requested ones that cannot run here.
std::vector<benchmark_case> benchmarks_in(const plan& plan) {
  auto benchmarks = planned_benchmarks(plan);
  for (const auto& skipped : plan.skipped)
    if (skipped.benchmark) benchmarks.push_back(*skipped.benchmark);
  return benchmarks;
}

json strategy_facts(const plan& plan) {
  json facts = json::array();
  for (const auto* const measured : strategies_of(planned_benchmarks(plan))) {
    const auto& host = measured->needs.host;
    facts.push_back({{"name", measured->name()},
                     {"summary", measured->summary},
                     {"variants", common::list_of(measured->variants,
                                                  [](const variant& each) { return each.name; })},
                     {"memory", host ? json(to_string(*host)) : json()}});
  }
  return facts;
}

json benchmark_facts(const plan& plan) {
  json facts = json::object();
  for (const auto& described : benchmarks_in(plan)) facts[described.name] = to_json(described);
  return facts;
}

json role_facts(const plan& plan) {
  json facts = json::object();
  const auto add = [&](const result_file::role& role) { facts[role.name] = to_json(role); };
  for (const auto* const measured : strategies_of(benchmarks_in(plan))) {
    add(measured->role);
    for (const auto& variant : measured->variants)
      if (variant.role) add(*variant.role);
  }
  return facts;
}

}  // namespace

json to_json(const std::vector<skipped_case>& skipped) {
  return common::list_of(skipped, [](const skipped_case& entry) {
    return json{{"name", entry.name}, {"reason", common::to_json(entry.reason)}};
  });
}

json make_context(std::span<const observed_device> devices,
                  const std::optional<common::message>& why_not_gpu, const settings& settings,
                  const plan& plan, const json& fleet) {
  const auto& first = devices.front();
  auto context = google_context();  // its load is that before anything is measured
  const auto clock = measure_clock();
  const auto described = machine::describe();
  const auto probed = cpu::probe_blocks(first.memory);
  json list = json::array();
  for (const auto& observed : devices) list.push_back(entry_of(observed, why_not_gpu));
  context["json_schema_version"] = 1;
  context["transfers"] = {
      {"format", result_file::newest_format},
      {"complete", false},
      {"program", program_facts()},
      {"run", run_settings(settings)},
      {"device", device_facts(first.device, first.start, why_not_gpu)},
      {"link", to_json(first.start.link)},
      {"clocks", machine::to_json({.start = first.start.clocks})},
      {"devices", list},
      {"fleet", fleet},
      {"machine", described},
      {"clock",
       {{"name", "std::chrono::steady_clock"},
        {"read_ns", clock.read_ns},
        {"resolution_ns", clock.resolution_ns}}},
      {"buffers", buffer_facts(first.memory, probed)},
      {"strategies", strategy_facts(plan)},
      {"roles", role_facts(plan)},
      {"benchmarks", benchmark_facts(plan)},
      {"metrics", json::object()},
      {"skipped", to_json(plan.skipped)},
      {"warnings", common::to_json(warnings_of_run(settings.faults, described, devices))},
  };
  return context;
}

}  // namespace bench_transfers::bench
