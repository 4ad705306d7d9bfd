#include <unistd.h>

#include "bench/strategy/elements.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::direction;

/// The CPU looks at each page: those that a kernel has brought to the device come back.
void touch_pages(std::span<const std::byte> memory) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t i = 0; i < memory.size(); i += page)
    static_cast<void>(*const_cast<const volatile std::byte*>(&memory[i]));
}

/// A kernel reads or writes ordinary memory in place. Its pages may move to the device meanwhile
/// (HMM), so they are memory of the strategy's own, and the CPU has them back before the next
/// operation; what a kernel has written has not arrived before.
transfer prepare(const job& task) {
  const auto way = task.direction;
  const auto bytes = task.bytes;
  const auto host = std::make_shared<transfers::host_memory>(
      task.device.allocate_host(bytes, transfers::pageable));
  const auto there = std::make_shared<transfers::device_memory>(task.device.allocate(bytes));
  const auto here = own_payload(host->bytes(), false);
  const auto on_device = own_payload(std::span(there->data(), bytes), true);
  const auto pattern = task.memory.pattern();

  transfer access;
  access.source = way == direction::h2d ? here : on_device;
  access.destination = way == direction::h2d ? on_device : here;
  auto* const to = access.destination->data;
  auto* const from = access.source->data;
  access.amount.multiprocessors =
      transfers::copy_kernel_multiprocessors(task.device.description(), to, from, bytes);
  access.steps =
      enqueue_and_wait(task.stream, [host, there, to, from, bytes, &stream = task.stream] {
        stream.copy_by_kernel(to, from, bytes);
      });
  if (way == direction::h2d) {
    transfers::write_host_pattern(from, 0, bytes, pattern);
    access.timing.between = [host] { touch_pages(host->bytes()); };
  } else {
    task.device.write_pattern(from, 0, bytes, pattern);
    access.steps.push_back({"touch", [host] { touch_pages(host->bytes()); }});
  }
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
    .variants = both_directions(),
    .role = roles::copy,
    .plainness = 2,
    .prepare = prepare,
    .needs = {.more_host_memory = true,
              .more_device_memory = true,
              .why_unsupported = why_unsupported},
    .sampling = {.cold = false}});

}  // namespace
}  // namespace bench_transfers::bench
