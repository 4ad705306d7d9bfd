#include <memory>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench::concurrent_strategies {
namespace {

using machine::numa_node;
using transfers::host_memory_kind;

/// One of the copies: between memory of its own, on a stream of its own, by a thread on the node of
/// its host memory.
flow flow_of(const flow_job& part, std::size_t bytes, host_memory_kind kind,
             const std::optional<numa_node>& node) {
  const std::shared_ptr<transfers::stream> stream = part.device.create_stream();
  const job task{.device = part.device,
                 .memory = part.memory,
                 .stream = *stream,
                 .variant = {},
                 .bytes = bytes};
  // Both directions of a device at once have different memory.
  const std::size_t index = part.direction == transfers::direction::h2d ? 0 : 1;
  const auto [source, destination] =
      ends_between(host_payload(task, kind, index), device_payload(task, index), part.direction);
  flow copy{.device = part.device_index,
            .name = part.name,
            .direction = part.direction,
            .stream = stream,
            .enqueue = {},
            .source = source,
            .destination = destination};
  copy.enqueue = [stream, src = copy.source, dst = copy.destination, direction = part.direction] {
    stream->copy(dst.data, src.data, src.bytes, direction);
  };
  // Memory may lie on a node without CPUs.
  if (node && !why_no_cpu(*node)) copy.conditions = [node = *node] { return bound_to(node); };
  return copy;
}

transfer prepare(const job& task, const std::optional<host_memory_kind>& kind,
                 const std::optional<numa_node>& node) {
  transfer operation;
  for (const auto& part : task.flows)
    operation.flows.push_back(part.host ? flow_of(part, task.bytes, *part.host, part.host_node)
                                        : flow_of(part, task.bytes, kind.value(), node));
  operation.amount.bytes = operation.flows.size() * task.bytes;
  return operation;
}

/// Without a kind each copy has its own.
strategy copies_at_once(std::optional<host_memory_kind> kind,
                        const std::optional<numa_node>& node = {}) {
  const bool pinned = !kind || kind == transfers::pinned();
  return {.family = "concurrent",
          .parts = {kind ? in_memory(*kind) : method("listed")},
          .summary = "copies of several devices at once, cudaMemcpyAsync, " +
                     (kind ? transfers::describe(*kind) : "memory as --concurrent names it"),
          .variants = kind ? named({"h2d", "d2h", "both"}) : std::vector<variant>{},
          .role = roles::concurrent,
          .direction = result_file::direction::both,
          .plainness = pinned ? 1U : 0U,
          .concurrent = true,
          .memory_by_copy = !kind,
          .shares_link = false,
          .prepare = [kind, node](const job& task) { return prepare(task, kind, node); },
          .needs = {.host = kind, .host_payloads = 2, .device_payloads = 2},
          // Calls dominate smaller sizes; more than this tells nothing new about the links.
          .sampling = {.smallest = std::size_t{1} << 20,
                       .largest = std::size_t{64} << 20,
                       .size_stride = 2,
                       .cold = false,
                       .essential = pinned,
                       .profiles = all_variants_if(kind == transfers::pinned(), "sweep")}};
}

/// Pinned memory on each node is measured without being asked for where there are several.
registry copies_on(const std::vector<numa_node>& nodes) {
  registry copies;
  for (const auto& node : nodes)
    for (const auto kind : {transfers::pageable, transfers::pinned()}) {
      auto copy = copies_at_once(on_node(kind, node.number), node);
      copy.plainness = 2;
      copy.sampling.size_stride = 16;  // one size tells: there are many sets
      copy.sampling.on_request =
          kind != transfers::pinned() || !are_several(nodes) || !node.has_usable_memory();
      if (!is_page_locked(kind))
        copy.needs.why_unsupported = [node](const transfers::device&) { return why_no_cpu(node); };
      copies.push_back(std::move(copy));
    }
  return copies;
}

const registration pageable{copies_at_once(transfers::pageable)};
const registration pinned{copies_at_once(transfers::pinned())};
const registration listed{copies_at_once(std::nullopt)};
const registration on_nodes{node_strategies(copies_on)};

}  // namespace
}  // namespace bench_transfers::bench::concurrent_strategies
