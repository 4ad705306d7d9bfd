#include "bench/strategy/strategy.hpp"
#include "src/machine/numa.hpp"

namespace bench_transfers::bench::copy_on_node_strategies {
namespace {

using machine::numa_node;
using transfers::host_memory_kind;

/// Pages that the driver or threads copy are copied by CPUs of the node.
transfer copied_by(const numa_node& node, transfer copy) {
  copy.timing.conditions = [node] { return bound_to(node); };
  return copy;
}

strategy copy_of(host_memory_kind kind, const numa_node& node) {
  strategy copy{.family = "copy",
                .parts = {in_memory(kind)},
                .summary = "cudaMemcpy, " + transfers::describe(kind),
                .variants = synchronous_copies(kind),
                .role = roles::copy,
                .plainness = 2 + options_of(kind),
                .prepare =
                    [kind, node](const job& task) {
                      auto prepared = synchronous_copy(task, kind);
                      return is_page_locked(kind) ? prepared : copied_by(node, std::move(prepared));
                    },
                .needs = {.host = kind}};
  if (!is_page_locked(kind))
    copy.needs.why_unsupported = [node](const transfers::device&) { return why_no_cpu(node); };
  return copy;
}

strategy staged_copy_of(host_memory_kind kind, const numa_node& node) {
  auto prepare = [kind, node](const job& task) {
    const auto ends = ends_of(task, kind, task.direction);
    auto copy = transfer_between(ends);
    const auto bound = bound_to(node);  // inherited by the threads of a new copier
    copy.steps = {
        {"copy", copy_with(task.memory.staged_copier(node.number), ends, task.direction)}};
    return copied_by(node, std::move(copy));
  };
  return {
      .family = "copy",
      .parts = {method("staged"), in_memory(kind)},
      .summary = "ordinary memory by way of page-locked chunks, all on the node and by its CPUs",
      .variants = both_directions(),
      .role = roles::copy,
      .plainness = 3,
      .prepare = prepare,
      .needs = {.host = kind, .staged_copier = true, .why_unsupported = [node](const auto&) {
                  return why_no_cpu(node);
                }}};
}

/// What tells far from near memory is measured without being asked for where there are several
/// nodes; other kinds of memory on request.
registry copies_on(const std::vector<numa_node>& nodes) {
  registry copies;
  for (const auto& node : nodes) {
    const bool is_compared = are_several(nodes) && node.has_usable_memory();
    const auto add = [&](strategy copy, bool tells) {
      copy.sampling.cold = false;
      copy.sampling.essential = tells;
      copy.sampling.on_request = !(tells && is_compared);
      copies.push_back(std::move(copy));
    };
    for (const auto kind : transfers::all_host_memory_kinds())
      if (!has(kind.flags, transfers::pin_flags::write_combined))
        add(copy_of(on_node(kind, node.number), node),
            kind == transfers::pinned() ||
                (kind == transfers::pageable && !why_no_cpu(node).has_value()));
    add(staged_copy_of(on_node(transfers::pageable, node.number), node), false);
  }
  return copies;
}

const registration copies{node_strategies(copies_on)};

}  // namespace
}  // namespace bench_transfers::bench::copy_on_node_strategies
