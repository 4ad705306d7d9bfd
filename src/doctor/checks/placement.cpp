#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "src/common/message.hpp"
#include "src/doctor/checks/registration.hpp"

namespace bench_transfers::doctor::checks {
namespace {

using json = nlohmann::ordered_json;

/// One machine of others: memory and process on the GPU's node, and on the other one.
cost far_node() {
  return {.least_lost = 1 - 3.783 / 12.15,
          .most_lost = 1 - 2.539 / 12.89,
          .rate = "copies of pinned memory on a Tesla P100",
          .origin = cost::source::published,
          .reference = "https://github.com/mpicbg-scicomp/gearshifft/pull/82"};
}

const machine::numa_node* find_node(const host_facts& host, int number) {
  const auto node = std::ranges::find(host.nodes, number, &machine::numa_node::number);
  return node == host.nodes.end() ? nullptr : &*node;
}

bool has_usable_cpus(const machine::numa_node& node) { return !node.usable_cpus.empty(); }

bool has_cpus(const machine::numa_node& node) { return !node.cpus.empty(); }
bool has_memory(const machine::numa_node& node) { return node.memory_bytes != 0U; }

/// From a node to another of the list; 10 is the node itself. Nullopt: not known.
std::optional<std::size_t> distance_between(const host_facts& host, const machine::numa_node& node,
                                            const machine::numa_node& other) {
  const auto index = static_cast<std::size_t>(&other - host.nodes.data());
  if (index >= node.distances.size()) return std::nullopt;
  return node.distances[index];
}

/// The node itself, or those nearest to it that have what it lacks: a node may have no memory or no
/// CPUs, and numactl refuses it. Empty if no distance tells which are near.
template <class Has>
std::vector<const machine::numa_node*> nearest(const host_facts& host,
                                               const machine::numa_node& node, Has has) {
  if (has(node)) return {&node};
  std::vector<const machine::numa_node*> list;
  std::size_t least = 0;
  for (const auto& other : host.nodes) {
    const auto distance = distance_between(host, node, other);
    if (!has(other) || !distance || (!list.empty() && *distance > least)) continue;
    if (!list.empty() && *distance < least) list.clear();
    least = *distance;
    list.push_back(&other);
  }
  return list;
}

/// Whether new memory of the process may lie on a node, by its cpuset and its policy.
bool allows_memory(const host_facts& host, const machine::numa_node& node) {
  if (!node.memory_allowed) return false;
  const auto& policy = host.process.policy;
  return !policy || policy->nodes.empty() ||
         std::ranges::find(policy->nodes, node.number) != policy->nodes.end();
}

/// The published figure is of nodes of two sockets, which are 20 or more from each other. That of a
/// nearer one is not known.
std::optional<cost> cost_of_far_node(const host_facts& host, const machine::numa_node& node) {
  constexpr std::size_t of_another_socket = 20;
  std::size_t farthest = 0;
  for (const auto& other : host.nodes) {
    if (!has_usable_cpus(other) && !(has_memory(other) && allows_memory(host, other))) continue;
    const auto distance = distance_between(host, node, other);
    if (!distance) return far_node();
    farthest = std::max(farthest, *distance);
  }
  if (farthest < of_another_socket) return std::nullopt;
  return far_node();
}

json nodes_of(const host_facts& host) {
  json cpus = json::array(), memory = json::array();
  for (const auto& node : host.nodes) {
    if (has_usable_cpus(node)) cpus.push_back(node.number);
    if (node.has_usable_memory()) memory.push_back(node.number);
  }
  const auto& policy = host.process.policy;
  return {{"nodes_of_usable_cpus", cpus},
          {"nodes_of_usable_memory", memory},
          {"memory_policy", policy ? json(machine::to_string(policy->kind)) : json()},
          {"memory_policy_nodes", policy ? json(policy->nodes) : json()}};
}

json evidence_of(const host_facts& host, int node) {
  json evidence{{"gpu_node", node}};
  evidence.update(nodes_of(host));
  return evidence;
}

std::string numbers_of(const std::vector<const machine::numa_node*>& nodes) {
  std::string list;
  for (const auto* node : nodes) list += (list.empty() ? "" : ",") + std::to_string(node->number);
  return list;
}

/// Where the CPUs and the memory are that are nearest to a GPU's node.
struct gpu_home {
  std::vector<const machine::numa_node*> cpus, memory;
};

std::string nodes_with_memory(const host_facts& host) {
  std::vector<const machine::numa_node*> nodes;
  for (const auto& node : host.nodes)
    // Memory without CPUs is a GPU's or an expander's.
    if (node.has_usable_memory() && has_cpus(node)) nodes.push_back(&node);
  return numbers_of(nodes);
}

/// Whether there are such nodes, and none may be used.
template <class MayUse>
bool have_none(const std::vector<const machine::numa_node*>& nodes, MayUse may_use) {
  return !nodes.empty() && std::ranges::none_of(nodes, may_use);
}

remedy bind_to(const gpu_home& home) {
  if (have_none(home.memory, [](const auto* node) { return node->memory_allowed; }))
    return {fmt::format("The process's cpuset leaves this memory out, so numactl cannot bind to "
                        "it: give the job or the container memory of node {} and CPUs of node {}",
                        numbers_of(home.memory), numbers_of(home.cpus)),
            "grep -E 'Cpus_allowed_list|Mems_allowed_list' /proc/self/status"};
  std::string options;
  if (!home.cpus.empty()) options += fmt::format(" --cpunodebind={}", numbers_of(home.cpus));
  if (!home.memory.empty()) options += fmt::format(" --membind={}", numbers_of(home.memory));
  return {
      "Bind the process and its memory to the GPU's node, or to the nearest that has what it "
      "lacks; in a cpuset, give it CPUs and memory of that node",
      fmt::format("numactl{} PROGRAM", options)};
}

/// The binding of one GPU's process.
void judge_binding(const host_facts& host, const gpu_facts& gpu, const machine::numa_node& node,
                   diagnosis& diagnosis) {
  const gpu_home home{nearest(host, node, has_cpus), nearest(host, node, has_memory)};
  const auto add = [&](const char* code, const std::string& what) {
    auto evidence = evidence_of(host, node.number);
    if (!has_memory(node)) evidence["nearest_memory"] = numbers_of(home.memory);
    diagnosis.findings.push_back({.code = code,
                                  .severity = severity::may_slow,
                                  .gpu = gpu.id,
                                  .what = what,
                                  .evidence = std::move(evidence),
                                  .cost = cost_of_far_node(host, node),
                                  .fix = bind_to(home)});
  };
  const bool far_cpus =
      have_none(home.cpus, [](const auto* near) { return has_usable_cpus(*near); });
  const bool far_memory =
      have_none(home.memory, [&](const auto* near) { return allows_memory(host, *near); });
  if (far_cpus)
    add("numa_cpus_far",
        fmt::format("The GPU is next to NUMA node {}, and this process may use none of its CPUs.",
                    numbers_of(home.cpus)));
  if (far_memory)
    add("numa_memory_far",
        fmt::format("The GPU is next to NUMA node {}, and memory of this process lies elsewhere.",
                    numbers_of(home.memory)));
  const bool is_free = std::ranges::count_if(host.nodes, has_usable_cpus) > 1;
  const bool has_policy = host.process.policy && !host.process.policy->nodes.empty();
  if (!far_cpus && !far_memory && is_free && !has_policy)
    add("numa_unbound", fmt::format("The GPU is next to NUMA node {}, and this process may run and "
                                    "take memory on other nodes, too.",
                                    node.number));
}

void numa_binding(const facts& facts, diagnosis& diagnosis) {
  const auto& host = facts.host;
  if (host.nodes.size() < 2) return;
  for (const auto& gpu : facts.gpus) {
    const auto number = gpu.node.agreed();
    const auto* const node = number ? find_node(host, *number) : nullptr;
    if (node) {
      judge_binding(host, gpu, *node, diagnosis);
      continue;
    }
    diagnosis.unknowns.push_back(
        {.code = "numa_node_hidden",
         .gpu = gpu.id,
         .what = "The NUMA node next to the GPU is not known, or kernel and driver name different "
                 "ones.",
         .evidence = machine::to_json(gpu.node),
         .fix = {"Measure copies with memory on each node", "bench_transfers map"}});
  }
}

void nodes_per_socket(const facts& facts, diagnosis& diagnosis) {
  const auto& host = facts.host;
  const auto nodes = static_cast<std::size_t>(std::ranges::count_if(host.nodes, has_cpus));
  if (!host.sockets || *host.sockets == 0 || nodes < 2 * *host.sockets) return;
  diagnosis.findings.push_back(
      {.code = "nodes_per_socket",
       .severity = severity::may_slow,
       .what = fmt::format("Each socket is divided into {} NUMA nodes (NPS, SNC): memory on one of "
                           "them has a part of the socket's memory channels.",
                           nodes / *host.sockets),
       .evidence = {{"nodes", nodes}, {"sockets", *host.sockets}},
       .fix = {"Spread host memory over the socket's nodes, or divide it into fewer in the "
               "firmware's settings (NPS1 of AMD, sub-NUMA clustering of Intel)",
               fmt::format("numactl --interleave={} PROGRAM", nodes_with_memory(host))}});
}

void numa_balancing(const facts& facts, diagnosis& diagnosis) {
  const auto& host = facts.host;
  if (host.nodes.size() < 2 || host.numa_balancing.value_or(0) == 0) return;
  diagnosis.findings.push_back(
      {.code = "numa_balancing",
       .severity = severity::may_slow,
       .what = "The kernel moves memory between NUMA nodes, and unmaps it to see who uses it: "
               "copies by the CPU, and of pageable memory, wait for that.",
       .evidence = {{"numa_balancing", *host.numa_balancing}, {"nodes", host.nodes.size()}},
       .fix = {"Switch it off where programs are bound to nodes",
               "sysctl -w kernel.numa_balancing=0", place::system}});
}

void few_cpus(const facts& facts, diagnosis& diagnosis) {
  // As many threads fill and drain the library's chunks of pinned memory (transfers::staging).
  constexpr std::size_t enough = 6;
  const auto& host = facts.host;
  const auto usable = host.process.usable_cpus.size();
  if (usable == 0 || usable >= enough || !host.cpus_online || *host.cpus_online <= usable) return;
  diagnosis.findings.push_back(
      {.code = "few_cpus",
       .severity = severity::may_slow,
       .what = fmt::format("This process may use {} of {} CPUs: copies of pageable memory, which "
                           "CPUs do, are slow with fewer than {}.",
                           usable, *host.cpus_online, enough),
       .evidence = {{"usable_cpus", usable}, {"cpus_online", *host.cpus_online}},
       .fix = {"Give the process more CPUs: by its cpuset, by --cpus-per-task of Slurm, or by its "
               "affinity",
               "taskset --cpu-list CPUS PROGRAM"}});
}

void cpu_quota(const facts& facts, diagnosis& diagnosis) {
  const auto& host = facts.host;
  const auto usable = host.process.usable_cpus.size();
  if (!host.cpu_quota || usable == 0 || host.cpu_quota->cpus >= static_cast<double>(usable)) return;
  const auto periods = host.cpu_quota->throttled_periods;
  // The counter is as old as the group: only what it rises by while the GPU copies is of now.
  const auto before = host.process.throttled_periods_before;
  const bool have_waited = periods && before && *periods > *before;
  diagnosis.findings.push_back(
      {.code = "cpu_quota",
       .severity = have_waited ? severity::slows : severity::may_slow,
       .what = fmt::format("A control group grants the time of {:.3g} CPUs, and {} may be used: "
                           "threads that copy wait when it is used up{}.",
                           host.cpu_quota->cpus, usable, have_waited ? ", as they have now" : ""),
       .evidence = {{"quota_cpus", host.cpu_quota->cpus},
                    {"usable_cpus", usable},
                    {"throttled_periods", common::or_null(periods)}},
       .fix = {"Raise the limit of the container (--cpus, resources.limits.cpu) or of its group",
               "echo max > /sys/fs/cgroup/GROUP/cpu.max", place::system}});
}

const registration of_numa{topic::numa, {numa_binding, nodes_per_socket, numa_balancing}};
const registration of_cpus{topic::cpus, {few_cpus, cpu_quota}};

}  // namespace
}  // namespace bench_transfers::doctor::checks
