#include "bench/strategy/copy_kernel.hpp"
#include "bench/strategy/elements.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/verification/pattern.hpp"
#include "src/transfers/core/pages.hpp"

namespace bench_transfers::bench::pageable_access_strategies {
namespace {

using transfers::direction;

/// The CPU reads each page, so that pages that a kernel has moved to the device move back.
void touch_pages(std::span<const std::byte> memory) {
  const auto page = transfers::page_bytes();
  for (std::size_t i = 0; i < memory.size(); i += page)
    static_cast<void>(*const_cast<const volatile std::byte*>(&memory[i]));
}

/// A kernel reads or writes pageable memory in place. Its pages may move to the device (HMM), so
/// the strategy uses its own memory, and the CPU touches it before the next operation. Data that a
/// kernel writes have arrived only when the CPU has touched them.
transfer prepare(const job& task) {
  const auto direction = task.direction;
  const auto bytes = task.bytes;
  const auto host = std::make_shared<transfers::host_memory>(
      task.device.allocate_host(bytes, transfers::pageable));
  const auto device_block = std::make_shared<transfers::device_memory>(task.device.allocate(bytes));
  const auto ends = ends_between(own_payload(*host), own_payload(*device_block), direction);
  write_pattern(task.device, ends.source, task.memory.pattern());

  auto access = transfer_between(ends);
  auto* const dst = access.destination->data;
  auto* const src = access.source->data;
  access.amount.multiprocessors =
      copy_kernel_multiprocessors(task.device.description(), dst, src, bytes);
  access.steps =
      enqueue_and_wait(task.stream, [host, device_block, dst, src, bytes, &stream = task.stream] {
        stream.copy_by_kernel(dst, src, bytes);
      });
  const auto touch = [host] { touch_pages(host->bytes()); };
  if (direction == direction::h2d)
    access.timing.between = touch;
  else
    access.steps.push_back({"touch", touch});
  return access;
}

std::optional<std::string> why_unsupported(const transfers::device& device) {
  const auto& cuda = device.description().cuda;
  if (!cuda || cuda->pageable_memory_access) return std::nullopt;
  return "kernels cannot access pageable memory (cudaDevAttrPageableMemoryAccess is 0)";
}

const registration access_in_place(strategy{
    .family = "copy",
    .parts = {method("pageable_access")},
    .summary = "a kernel reads or writes malloc memory in place (HMM, ATS)",
    .calls = calls_for(transfers::pageable) +
             "kernel<<<blocks, threads, 0, stream>>>($[device|host], $[host|device], bytes);\n"
             "cudaStreamSynchronize(stream);",
    .variants = both_directions(),
    .role = roles::copy,
    .plainness = 2,
    .prepare = prepare,
    .needs = {.more_host_memory = 1, .more_device_memory = 1, .why_unsupported = why_unsupported},
    .sampling = {.cold = false}});

}  // namespace
}  // namespace bench_transfers::bench::pageable_access_strategies
