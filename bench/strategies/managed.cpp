#include "transfers/fast/managed.hpp"

#include <cstring>

#include "bench/strategy/elements.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::direction;
using transfers::managed_memory;
using transfers::residence;

constexpr std::size_t mib = std::size_t{1} << 20;

constexpr residence start_of(direction way) {
  return way == direction::h2d ? residence::host : residence::device;
}
constexpr residence end_of(direction way) {
  return way == direction::h2d ? residence::device : residence::host;
}

/// Managed memory that holds the pattern, and is sent to one side before each operation.
class managed_source {
 public:
  managed_source(const job& task, residence start)
      : memory(task.device, task.bytes), stream_(task.stream), start_(start) {
    transfers::write_host_pattern(memory.data(), 0, memory.size(), task.memory.pattern());
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

/// The pages move, their address does not: one block is both ends, and is looked at from the side
/// where it must be.
transfer prepare_prefetch(const job& task) {
  const auto way = task.direction;
  const auto source = std::make_shared<managed_source>(task, start_of(way));
  transfer move;
  move.steps = enqueue_and_wait(task.stream, [source, way, &stream = task.stream] {
    source->memory.prefetch(stream, end_of(way));
  });
  move.timing.between = [source] { source->send_back(); };
  move.check.compare = [source, way, &device = task.device,
                        pattern = task.memory.pattern()]() -> std::optional<std::string> {
    const auto& memory = source->memory;
    // Before anybody looks at it, which would move it too.
    if (memory.prefetched_to() != end_of(way))
      return "the memory was not sent to where it should be";
    const auto found =
        way == direction::h2d
            ? device.check_pattern(memory.data(), 0, memory.size(), pattern)
            : transfers::check_host_pattern(memory.data(), 0, memory.size(), pattern);
    if (found.wrong_bytes == 0) return std::nullopt;
    return std::to_string(found.wrong_bytes) + " bytes differ, the first at offset " +
           std::to_string(found.first_wrong);
  };
  return move;
}

/// Whoever touches the pages brings them over, one fault after the other. What is read is written
/// to memory of its own side, where it can be checked.
transfer prepare_fault(const job& task) {
  const auto way = task.direction;
  const auto source = std::make_shared<managed_source>(task, start_of(way));
  transfer touch;
  touch.timing.between = [source] { source->send_back(); };
  auto* const from = source->memory.data();
  const auto bytes = task.bytes;
  if (way == direction::h2d) {
    const auto there = std::make_shared<transfers::device_memory>(task.device.allocate(bytes));
    touch.destination = own_payload(std::span(there->data(), bytes), true);
    touch.steps =
        enqueue_and_wait(task.stream, [source, there, from, bytes, &stream = task.stream] {
          stream.copy_by_kernel(there->data(), from, bytes);
        });
    touch.amount.multiprocessors = transfers::copy_kernel_multiprocessors(
        task.device.description(), there->data(), from, bytes);
    return touch;
  }
  const auto here = std::make_shared<transfers::host_memory>(
      task.device.allocate_host(bytes, transfers::pageable));
  touch.destination = own_payload(here->bytes(), false);
  touch.steps = {{"copy", [source, here, from] { std::memcpy(here->data(), from, here->size()); }}};
  touch.timing.batched = false;  // only the first of a batch would find the pages away
  return touch;
}

void add(const std::string& name, const std::string& summary, std::size_t largest,
         std::function<transfer(const job&)> prepare) {
  registration{strategy{.family = "copy",
                        .parts = {method(name)},
                        .summary = summary,
                        .variants = both_directions(),
                        .role = roles::copy,
                        .plainness = 2,
                        .memory = to_string(transfers::managed),
                        .prepare = std::move(prepare),
                        .needs = {.more_host_memory = true,
                                  .more_device_memory = true,
                                  .why_unsupported = transfers::why_no_managed_memory},
                        .sampling = {.largest = largest, .cold = false}}};
}

const struct managed_strategies {
  managed_strategies() {
    add("managed_prefetch", "cudaMemPrefetchAsync of managed memory, then wait", 256 * mib,
        prepare_prefetch);
    add("managed_fault", "managed memory, by page faults of a kernel (h2d) or the CPU (d2h)",
        64 * mib, prepare_fault);
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
