#include "bench/strategy/copies.hpp"

#include "bench/strategy/copy_kernel.hpp"
#include "bench/strategy/waiting.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {

payload host_payload(const job& task, transfers::host_memory_kind kind, std::size_t index) {
  const auto& block = task.memory.host(kind);
  const auto offset = index * buffers::distance(task.bytes);
  return {block.data() + offset, task.bytes, false, &block, offset};
}

payload device_payload(const job& task, std::size_t index) {
  const auto offset = index * buffers::distance(task.bytes);
  return {task.memory.on_device().data() + offset, task.bytes, true, nullptr, offset};
}

payload own_payload(const transfers::host_memory& memory) {
  return {.data = memory.data(), .bytes = memory.size(), .host = &memory, .guard = 0};
}

payload own_payload(const transfers::device_memory& memory) {
  return {.data = memory.data(), .bytes = memory.size(), .on_device = true, .guard = 0};
}

std::byte* seen_by_kernel(const payload& end) {
  if (end.on_device) return end.data;
  if (end.host->on_device() == nullptr)
    throw transfers::unsupported("the device has no address for this memory");
  return end.host->on_device() + end.offset;
}

void write_pattern(transfers::device& device, const payload& end, pattern written) {
  if (end.on_device) return write_pattern(device, end.data, 0, end.bytes, written);
  write_host_pattern(end.data, 0, end.bytes, written);
}

pattern_check check_pattern(transfers::device& device, const payload& end, pattern expected) {
  return end.on_device ? check_pattern(device, end.data, 0, end.bytes, expected)
                       : check_host_pattern(end.data, 0, end.bytes, expected);
}

ends ends_of(const job& task, transfers::host_memory_kind kind, transfers::direction direction) {
  return ends_between(host_payload(task, kind), device_payload(task), direction);
}

ends ends_between(const payload& host, const payload& device, transfers::direction direction) {
  if (direction == transfers::direction::h2d) return {host, device};
  return {device, host};
}

transfer transfer_between(const ends& ends) {
  transfer result;
  result.source = ends.source;
  result.destination = ends.destination;
  return result;
}

void copy_now(transfers::device& device, const ends& ends, transfers::direction direction,
              bool page_locked) {
  const auto& [source, destination] = ends;
  device.cuda_memcpy(destination.data, source.data, source.bytes, direction, page_locked);
}

std::function<void()> asynchronous_copy(const job& task, const ends& ends) {
  return [&stream = task.stream, ends, direction = task.direction] {
    stream.copy(ends.destination.data, ends.source.data, ends.source.bytes, direction);
  };
}

transfer synchronous_copy(const job& task, transfers::host_memory_kind kind) {
  const auto direction = task.direction;
  const auto ends = ends_of(task, kind, direction);
  auto copy = transfer_between(ends);
  copy.steps = {{"copy", [&device = task.device, ends, direction, locked = is_page_locked(kind)] {
                   copy_now(device, ends, direction, locked);
                 }}};
  // With pageable memory the call waits for the CPU's staging, which the device's clock does not
  // see.
  if (is_page_locked(kind)) copy.enqueue = asynchronous_copy(task, ends);
  return copy;
}

transfer copy_in_place(const job& task, transfers::host_memory_kind kind, unsigned most_blocks) {
  const auto ends = ends_of(task, kind, task.direction);
  auto* const dst = seen_by_kernel(ends.destination);
  auto* const src = seen_by_kernel(ends.source);
  auto copy = transfer_between(ends);
  copy.enqueue = [&stream = task.stream, dst, src, bytes = task.bytes, most_blocks] {
    stream.copy_by_kernel(dst, src, bytes, most_blocks);
  };
  copy.amount.multiprocessors =
      copy_kernel_multiprocessors(task.device.description(), dst, src, task.bytes, most_blocks);
  copy.steps = enqueue_and_wait(task.stream, copy.enqueue);
  return copy;
}

}  // namespace bench_transfers::bench
