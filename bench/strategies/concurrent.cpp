#include <memory>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

/// One of the copies: between memory of its own, on a stream of its own.
flow flow_of(const flow_job& part, std::size_t bytes, transfers::host_memory_kind kind) {
  const std::shared_ptr<transfers::stream> stream = part.device.create_stream();
  const job task{.device = part.device,
                 .memory = part.memory,
                 .stream = *stream,
                 .variant = {},
                 .bytes = bytes};
  // Both directions of a device at once have different memory.
  const auto to_device = part.direction == transfers::direction::h2d;
  const auto host = host_payload(task, kind, to_device ? 0 : 1);
  const auto device = device_payload(task, to_device ? 0 : 1);
  flow copy{.device = part.device_index,
            .name = part.name,
            .direction = part.direction,
            .stream = stream,
            .enqueue = {},
            .source = to_device ? host : device,
            .destination = to_device ? device : host};
  copy.enqueue = [stream, src = copy.source, dst = copy.destination, direction = part.direction] {
    stream->copy(dst.data, src.data, src.bytes, direction);
  };
  return copy;
}

transfer prepare(const job& task, transfers::host_memory_kind kind) {
  transfer operation;
  for (const auto& part : task.flows) operation.flows.push_back(flow_of(part, task.bytes, kind));
  operation.amount.bytes = operation.flows.size() * task.bytes;
  return operation;
}

const registration concurrent_copies(host_memory_family{
    .family = "concurrent",
    .summary = "copies of several devices at once, cudaMemcpyAsync",
    .variants = named({"h2d", "d2h", "both"}),
    .role = roles::concurrent,
    .direction = result_file::direction::both,
    .kinds = {transfers::pageable, transfers::pinned()},
    .prepare = prepare,
    .adjust = [](strategy& copies) {
      const bool pinned = copies.needs.host == transfers::pinned();
      copies.concurrent = true;
      copies.shares_link = false;
      copies.plainness = pinned ? 1 : 0;
      copies.needs.host_payloads = copies.needs.device_payloads = 2;
      // Calls dominate smaller sizes; more than this tells nothing new about the links.
      copies.sampling = {.smallest = std::size_t{1} << 20,
                         .largest = std::size_t{64} << 20,
                         .size_stride = 2,
                         .cold = false,
                         .essential = pinned};
    }});

}  // namespace
}  // namespace bench_transfers::bench
