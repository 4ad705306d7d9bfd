#include <fmt/format.h>

#include <algorithm>

#include "src/doctor/checks/checks.hpp"
#include "src/machine/files.hpp"

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

/// Whether new memory of the process lies on other nodes, by its cpuset or its policy.
bool keeps_memory_away(const host_facts& host, const machine::numa_node& node) {
  if (!node.memory_allowed) return true;
  const auto& policy = host.process.policy;
  return policy && !policy->nodes.empty() &&
         std::ranges::find(policy->nodes, node.number) == policy->nodes.end();
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

remedy bind_to(int node) {
  return {
      "Bind the process and its memory to the GPU's node; in a cpuset, give it CPUs and memory "
      "of that node",
      fmt::format("numactl --cpunodebind={} --membind={} PROGRAM", node, node)};
}

/// The binding of one GPU's process.
void judge_binding(const host_facts& host, const gpu_facts& gpu, const machine::numa_node& node,
                   diagnosis& diagnosis) {
  const auto add = [&](const char* code, const std::string& what) {
    diagnosis.findings.push_back({.code = code,
                                  .severity = severity::may_slow,
                                  .gpu = gpu.id,
                                  .what = what,
                                  .evidence = evidence_of(host, node.number),
                                  .cost = far_node(),
                                  .fix = bind_to(node.number)});
  };
  const bool far_cpus = !node.cpus.empty() && !has_usable_cpus(node);
  const bool far_memory = keeps_memory_away(host, node);
  if (far_cpus)
    add("numa_cpus_far",
        fmt::format("The GPU is next to NUMA node {}, and this process may use none of its CPUs.",
                    node.number));
  if (far_memory)
    add("numa_memory_far",
        fmt::format("The GPU is next to NUMA node {}, and memory of this process lies elsewhere.",
                    node.number));
  const bool is_free = std::ranges::count_if(host.nodes, has_usable_cpus) > 1;
  const bool has_policy = host.process.policy && !host.process.policy->nodes.empty();
  if (!far_cpus && !far_memory && is_free && !has_policy)
    add("numa_unbound",
        fmt::format("The GPU is next to NUMA node {}, and this process may run and take memory on "
                    "other nodes, too.",
                    node.number));
}

}  // namespace

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
         .decides = false,
         .fix = {"Measure copies with memory on each node", "bench_transfers map"}});
  }
}

void nodes_per_socket(const facts& facts, diagnosis& diagnosis) {
  const auto& host = facts.host;
  const auto nodes = static_cast<std::size_t>(
      std::ranges::count_if(host.nodes, [](const auto& node) { return !node.cpus.empty(); }));
  if (!host.sockets || *host.sockets == 0 || nodes <= *host.sockets) return;
  diagnosis.findings.push_back(
      {.code = "nodes_per_socket",
       .severity = severity::may_slow,
       .gpu = "",
       .what = fmt::format("Each socket is divided into {} NUMA nodes (NPS, SNC): memory on one of "
                           "them has a part of the socket's memory channels.",
                           nodes / *host.sockets),
       .evidence = {{"nodes", nodes}, {"sockets", *host.sockets}},
       .cost = std::nullopt,
       .fix = {
           "Set NPS1 (AMD) or switch sub-NUMA clustering off (Intel) in the firmware's settings, "
           "or spread host memory over the socket's nodes",
           "numactl --interleave=NODES PROGRAM"}});
}

void numa_balancing(const facts& facts, diagnosis& diagnosis) {
  const auto& host = facts.host;
  if (host.nodes.size() < 2 || host.numa_balancing.value_or(0) == 0) return;
  diagnosis.findings.push_back(
      {.code = "numa_balancing",
       .severity = severity::may_slow,
       .gpu = "",
       .what =
           "The kernel moves memory between NUMA nodes, and unmaps it to see who uses it: copies "
           "by the CPU, and of pageable memory, wait for that.",
       .evidence = {{"numa_balancing", *host.numa_balancing}, {"nodes", host.nodes.size()}},
       .cost = std::nullopt,
       .fix = {"Switch it off where programs are bound to nodes",
               "sysctl -w kernel.numa_balancing=0"}});
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
       .gpu = "",
       .what = fmt::format("This process may use {} of {} CPUs: copies of pageable memory, which "
                           "CPUs do, are slow with fewer than {}.",
                           usable, *host.cpus_online, enough),
       .evidence = {{"usable_cpus", usable}, {"cpus_online", *host.cpus_online}},
       .cost = std::nullopt,
       .fix = {"Give the process more CPUs: by its cpuset, by --cpus-per-task of Slurm, or by its "
               "affinity",
               "taskset --cpu-list CPUS PROGRAM"}});
}

void cpu_quota(const facts& facts, diagnosis& diagnosis) {
  const auto& host = facts.host;
  const auto usable = host.process.usable_cpus.size();
  if (!host.cpu_quota || usable == 0 || host.cpu_quota->cpus >= static_cast<double>(usable)) return;
  const auto periods = host.cpu_quota->throttled_periods;
  diagnosis.findings.push_back(
      {.code = "cpu_quota",
       .severity = periods.value_or(0) > 0 ? severity::slows : severity::may_slow,
       .gpu = "",
       .what = fmt::format("A control group grants the time of {:.3g} CPUs, and {} may be used: "
                           "threads that copy wait when it is used up{}.",
                           host.cpu_quota->cpus, usable,
                           periods.value_or(0) > 0 ? ", as they have" : ""),
       .evidence = {{"quota_cpus", host.cpu_quota->cpus},
                    {"usable_cpus", usable},
                    {"throttled_periods", machine::or_null(periods)}},
       .cost = std::nullopt,
       .fix = {"Raise the limit of the container (--cpus, resources.limits.cpu) or of its group",
               "echo max > /sys/fs/cgroup/GROUP/cpu.max"}});
}

}  // namespace bench_transfers::doctor::checks
