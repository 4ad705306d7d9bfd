#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/cpu/emulation.hpp"
#include "bench/strategies/team_access.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench::cpu_strategies {
namespace {

using cpu::access;

const result_file::role& role_of(const access& access) {
  switch (access.kind) {
    case cpu::access_kind::read: return roles::cpu_read;
    case cpu::access_kind::write: return roles::cpu_write;
    case cpu::access_kind::read_write: break;
  }
  return roles::cpu_read_write;
}

/// memcpy by one thread is the plainest. "read_memcpy@node0": CPUs of another node than the memory.
variant variant_of(const team_access& chosen, transfers::host_memory_kind memory) {
  const auto& access = chosen.access;
  variant varied{.name = access.name(),
                 .role = role_of(access),
                 .method = access.method,
                 .plainness = access.plainest ? 0U : 1U,
                 .procedure = 1};
  if (chosen.team == team::all_cores) {
    varied.name += "_all_cores";
    varied.setting = "all_cores";
    *varied.plainness += 2;
    varied.procedure = 2;
  }
  if (chosen.node && chosen.node->number != memory.node) {
    const auto node = "node" + std::to_string(chosen.node->number);
    varied.name += "@" + node;
    varied.setting = varied.setting.value_or("cpus") + "_of_" + node;
  }
  return varied;
}

strategy strategy_for(const name_part& memory, const std::string& summary,
                      transfers::host_memory_kind kind, const std::vector<team_access>& accesses) {
  strategy result{.family = "cpu",
                  .parts = {memory},
                  .summary = summary,
                  .about = "reads and writes by the CPU, without a transfer",
                  .role = roles::cpu_read,
                  .needs = {.host = kind},
                  .sampling = {.smallest = std::size_t{16} << 10, .size_stride = 3, .effort = 0.2}};
  const auto next_turn = std::make_shared<std::size_t>(0);
  for (const auto& chosen : accesses) {
    auto& added = result.variants.emplace_back(variant_of(chosen, kind));
    added.prepare = [=](const job& task) { return prepare_access(task, kind, chosen, next_turn); };
  }
  return result;
}

/// Each access by one thread and by all cores. To add one, extend accesses_with().
std::vector<team_access> by_each_team(const std::vector<access>& accesses) {
  std::vector<team_access> by_each;
  for (const auto& access : accesses)
    for (const auto team : {team::one_thread, team::all_cores}) by_each.push_back({access, team});
  return by_each;
}

strategy strategy_for_kind(transfers::host_memory_kind kind,
                           const std::vector<team_access>& accesses) {
  return strategy_for(in_memory(kind), "the CPU accesses " + transfers::describe(kind), kind,
                      accesses);
}

/// The accesses that tell how far memory is: what ordinary programs do, the fastest reads, and the
/// latency.
bool tells_distance(const access& access) {
  return access.plainest || access.method == "vector" || access.method == "random";
}

/// By the CPUs of each node.
std::vector<team_access> accesses_by_nodes(const std::vector<machine::numa_node>& nodes) {
  auto accesses = accesses_with(cpu::instructions());
  std::erase_if(accesses, [](const access& access) { return !tells_distance(access); });
  std::vector<team_access> of_all;
  for (const auto& node : nodes) {
    if (why_no_cpu(node)) continue;
    for (auto& added : by_each_team(accesses)) {
      added.node = node;
      of_all.push_back(std::move(added));
    }
  }
  return of_all;
}

registry strategies_for(const std::vector<machine::numa_node>& nodes) {
  registry strategies;
  for (const auto& node : nodes)
    for (const auto kind : {transfers::pageable, transfers::pinned()}) {
      auto added = strategy_for_kind(on_node(kind, node.number), accesses_by_nodes(nodes));
      added.sampling.cold = false;
      // Where only the place matters, one kind of memory tells.
      added.sampling.on_request =
          kind != transfers::pageable || !are_several(nodes) || !node.has_usable_memory();
      if (!added.variants.empty()) strategies.push_back(std::move(added));
    }
  return strategies;
}

/// Reads that exist for write-combined memory alone.
strategy emulated_write_combined() {
  auto emulated = cpu::accesses_with(cpu::emulated_write_combined());
  std::erase_if(emulated, [](const access& access) { return !access.loads_by_instruction; });
  for (auto& access : emulated) access.times_in_caches = 1;  // it flushes the lines that it reads
  auto accesses = by_each_team(emulated);
  // The emulation takes microseconds for each line.
  for (auto& chosen : accesses) chosen.per_thread = std::size_t{64} << 10;
  auto result = strategy_for(in_memory("emulated_wc"),
                             "EMULATION of write-combined reads: lines flushed before each load",
                             transfers::pageable, accesses);
  result.emulation = true;
  result.sampling.largest = std::size_t{1} << 20;
  result.sampling.cold = false;
  result.needs.why_unsupported = [](const transfers::device& device) -> std::optional<std::string> {
    if (!device.description().cuda) return std::nullopt;
    return "it stands in for write-combined memory where there is no GPU";
  };
  return result;
}

const struct cpu_strategies {
  cpu_strategies() {
    const auto add = [](transfers::host_memory_kind kind) {
      auto result = strategy_for_kind(kind, by_each_team(accesses_with(cpu::instructions())));
      // It may migrate between host and device at any time.
      if (kind == transfers::managed) result.sampling.largest = std::size_t{256} << 20;
      if (kind == transfers::pageable || kind == transfers::pinned() ||
          kind == transfers::pinned(transfers::pin_flags::write_combined))
        result.sampling.profiles["wc"] = {};
      // One thread and all of them, reading and writing, where nothing else decides.
      if (kind == transfers::pageable)
        result.sampling.profiles["sweep"] = {"read_vector", "read_vector_all_cores",
                                             "write_fill_all_cores"};
      registration{result};
    };
    for (const auto kind : transfers::all_host_memory_kinds()) add(kind);
    add(transfers::managed);
    registration{emulated_write_combined()};
    registration{node_strategies(strategies_for)};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::cpu_strategies
