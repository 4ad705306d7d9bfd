#include "transfers/fast/managed.hpp"

#include <cstring>

#include "bench/strategy/copy_kernel.hpp"
#include "bench/strategy/elements.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/verification/pattern.hpp"
#include "src/transfers/core/units.hpp"

namespace bench_transfers::bench::managed_strategies {
namespace {

using transfers::direction;
using transfers::managed_memory;
using transfers::residence;

using transfers::detail::mib;

constexpr residence start_of(direction direction) {
  return direction == direction::h2d ? residence::host : residence::device;
}
constexpr residence end_of(direction direction) {
  return direction == direction::h2d ? residence::device : residence::host;
}

/// Managed memory that holds the pattern and is prefetched to one side before each operation.
class managed_source {
 public:
  managed_source(const job& task, residence start)
      : memory(task.device, task.bytes), stream_(task.stream), start_(start) {
    write_host_pattern(memory.data(), 0, memory.size(), task.memory.pattern());
    send_back();
  }
  void send_back() const {
    memory.prefetch(stream_, start_);
    stream_.synchronize();
  }

  managed_memory memory;

 private:
  transfers::stream& stream_;
  residence start_;
};

/// The pages move, their address does not: one block is both ends. It is verified from the side to
/// which it must have moved.
transfer prepare_prefetch(const job& task) {
  const auto direction = task.direction;
  const auto source = std::make_shared<managed_source>(task, start_of(direction));
  transfer move;
  move.steps = enqueue_and_wait(task.stream, [source, direction, &stream = task.stream] {
    source->memory.prefetch(stream, end_of(direction));
  });
  move.timing.between = [source] { source->send_back(); };
  move.check.compare = [source, direction, &device = task.device,
                        pattern = task.memory.pattern()]() -> std::optional<std::string> {
    const auto& memory = source->memory;
    // Before the check accesses it, which would move it too.
    if (memory.prefetched_to() != end_of(direction))
      return "the memory was not sent to where it should be";
    const bool on_device = direction == direction::h2d;
    return words_of(check_pattern(device, own_payload(memory.bytes(), on_device), pattern));
  };
  return move;
}

/// The kernel or the CPU touches the pages, which moves them fault by fault. It copies the data to
/// other memory on its side, where they are verified.
transfer prepare_fault(const job& task) {
  const auto direction = task.direction;
  const auto source = std::make_shared<managed_source>(task, start_of(direction));
  transfer touch;
  touch.timing.between = [source] { source->send_back(); };
  auto* const src = source->memory.data();
  const auto bytes = task.bytes;
  if (direction == direction::h2d) {
    const auto device_block =
        std::make_shared<transfers::device_memory>(task.device.allocate(bytes));
    touch.destination = own_payload(*device_block);
    touch.steps =
        enqueue_and_wait(task.stream, [source, device_block, src, bytes, &stream = task.stream] {
          stream.copy_by_kernel(device_block->data(), src, bytes);
        });
    touch.amount.multiprocessors =
        copy_kernel_multiprocessors(task.device.description(), device_block->data(), src, bytes);
    return touch;
  }
  const auto host_block = std::make_shared<transfers::host_memory>(
      task.device.allocate_host(bytes, transfers::pageable));
  touch.destination = own_payload(*host_block);
  touch.steps = {{"copy", [source, host_block, src] {
                    std::memcpy(host_block->data(), src, host_block->size());
                  }}};
  touch.timing.batched = false;  // only the first operation of a batch would move pages
  return touch;
}

void add(const std::string& name, const std::string& summary, const std::string& calls,
         std::size_t largest, std::function<transfer(const job&)> prepare) {
  registration{strategy{.family = "copy",
                        .parts = {method(name)},
                        .summary = summary,
                        .calls = calls_for(transfers::managed) + calls,
                        .variants = both_directions(),
                        .role = roles::copy,
                        .plainness = 2,
                        .memory = to_string(transfers::managed),
                        .prepare = std::move(prepare),
                        .needs = {.more_host_memory = 1,
                                  .more_device_memory = 1,
                                  .why_unsupported = transfers::why_no_managed_memory},
                        .sampling = {.largest = largest, .cold = false}}};
}

const struct managed_strategies {
  managed_strategies() {
    add("managed_prefetch", "cudaMemPrefetchAsync of managed memory, then wait",
        "cudaMemPrefetchAsync(host, bytes, {cudaMemLocationType$[Device|Host], 0}, 0, stream);\n"
        "cudaStreamSynchronize(stream);",
        256 * mib, prepare_prefetch);
    add("managed_fault", "managed memory, by page faults of a kernel (h2d) or the CPU (d2h)",
        "$[kernel<<<blocks, threads, 0, stream>>>(device, host, bytes);\n"
        "cudaStreamSynchronize(stream);|memcpy(result, host, bytes);]",
        64 * mib, prepare_fault);
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::managed_strategies
