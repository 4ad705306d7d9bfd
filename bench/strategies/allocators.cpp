#include "bench/strategies/allocators.hpp"

#include <cstdlib>
#include <utility>

#include "bench/strategy/heap.hpp"
#include "bench/subjects/async_memory.hpp"
#include "src/transfers/core/pages.hpp"
#include "transfers/core/error.hpp"
#include "transfers/core/pool.hpp"

namespace bench_transfers::bench {
namespace {

using subjects::freed_memory;
using subjects::pooled_memory;
using transfers::host_memory_kind;
using transfers::page_bytes;

/// The last byte, too: malloc's memory begins within a page.
void touch_pages(std::byte* data, std::size_t bytes, std::size_t page) {
  const auto touch = [data](std::size_t i) {
    *static_cast<volatile std::byte*>(data + i) = std::byte{1};
  };
  for (std::size_t i = 0; i < bytes; i += page) touch(i);
  touch(bytes - 1);
}

source from_malloc(const job& task) {
  disable_malloc_caching();
  return {[bytes = task.bytes, page = page_bytes()] {
    auto* const data = static_cast<std::byte*>(std::malloc(bytes));
    if (data == nullptr) throw transfers::out_of_memory("malloc");
    const std::shared_ptr<void> owner(data, std::free);
    touch_pages(data, bytes, page);
    return holding{owner, data};
  }};
}

source memory_of_kind(const job& task, host_memory_kind kind) {
  return {[&device = task.device, bytes = task.bytes, kind] {
    const auto owner = std::make_shared<transfers::host_memory>(device.allocate_host(bytes, kind));
    return holding{owner, owner->data()};
  }};
}

/// Page-locks memory that exists and has been touched: the same memory each time.
source lock_touched(const job& task, host_memory_kind kind) {
  const auto memory =
      std::make_shared<transfers::host_memory>(task.device.allocate_host(task.bytes, kind));
  return {[&device = task.device, memory] {
    const auto owner = std::make_shared<transfers::page_lock>(device.lock(memory->bytes()));
    return holding{owner, memory->data()};
  }};
}

/// Page-locks new, untouched memory each time.
source lock_untouched(const job& task) {
  disable_malloc_caching();
  struct shared_state {
    std::unique_ptr<std::byte, decltype(&std::free)> memory{nullptr, std::free};
  };
  const auto state = std::make_shared<shared_state>();
  return {[&device = task.device, state, bytes = task.bytes] {
            const auto owner =
                std::make_shared<transfers::page_lock>(device.lock({state->memory.get(), bytes}));
            return holding{owner, state->memory.get()};
          },
          [state, bytes = task.bytes] {
            state->memory.reset();
            const auto rounded = (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
            state->memory.reset(static_cast<std::byte*>(std::aligned_alloc(page_bytes(), rounded)));
            if (state->memory == nullptr) throw transfers::out_of_memory("aligned_alloc");
          }};
}

source on_device(const job& task) {
  return {[&device = task.device, bytes = task.bytes] {
    const auto owner = std::make_shared<transfers::device_memory>(device.allocate(bytes));
    return holding{owner, owner->data()};
  }};
}

source on_device_async(const job& task) {
  return {[allocate = subjects::async_allocator(task.device, task.stream, pooled_memory::device,
                                                freed_memory::kept),
           bytes = task.bytes] {
    const auto owner = allocate(bytes);
    return holding{owner, owner.get()};
  }};
}

/// From a pool of CUDA in host memory. A pool may give memory whose pages nobody has touched: one
/// that keeps its memory is touched with the first block.
source from_host_pool(const job& task, pooled_memory memory, freed_memory freed) {
  return {[allocate = subjects::async_allocator(task.device, task.stream, memory, freed), freed,
           bytes = task.bytes, page = page_bytes(), is_touched = false]() mutable {
    const auto owner = allocate(bytes);
    if (freed == freed_memory::given_back || !is_touched) touch_pages(owner.get(), bytes, page);
    is_touched = true;
    return holding{owner, owner.get()};
  }};
}

source from_device_pool(const job& task) {
  return {[pool = transfers::device_pool(task.device), &stream = task.stream,
           bytes = task.bytes]() mutable {
    const auto owner = std::make_shared<transfers::device_memory>(pool.allocate(bytes, stream));
    return holding{owner, owner->data()};
  }};
}

source from_pinned_pool(const job& task) {
  const auto pool = std::make_shared<transfers::pinned_pool>(task.device, task.stream);
  return {[pool, bytes = task.bytes] {
    const auto owner = std::make_shared<transfers::host_memory>(pool->allocate(bytes));
    return holding{owner, owner->data()};
  }};
}

// --- Their table ---------------------------------------------------------------------------------

allocator of_kind(host_memory_kind kind) {
  return {.name = in_memory(kind),
          .summary = describe(kind) + ", every page touched",
          .open = [kind](const job& task) { return memory_of_kind(task, kind); },
          .kind = kind,
          .plainness = kind == transfers::pageable ? 0 : 1 + options_of(kind)};
}

/// A pool of CUDA in host memory: warm if it keeps what is freed.
allocator host_pool(pooled_memory memory, freed_memory freed) {
  const bool is_numa = memory == pooled_memory::host_numa;
  const bool is_warm = freed == freed_memory::kept;
  return {.name = method(std::string(is_numa ? "host_pool_numa" : "host_pool") +
                         (is_warm ? "_warm" : "")),
          .summary = std::string("cudaMallocFromPoolAsync of host memory") +
                     (is_numa ? " on the device's NUMA node" : "") + " and a wait, " +
                     (is_warm ? "pool warm" : "pool empty, every page touched"),
          .open = [memory, freed](const job& task) { return from_host_pool(task, memory, freed); },
          .target = is_warm ? release_target::pool : release_target::system,
          .cuda = own_call{"cudaMallocFromPoolAsync",
                           is_numa ? cuda_with::host_numa_pools : cuda_with::host_pools},
          .plainness = 2,
          .procedure = is_warm ? 1U : 2U};
}

}  // namespace

std::vector<allocator> all_allocators() {
  using transfers::pin_flags;
  using transfers::pinned;
  return {
      {.name = method("malloc"),
       .summary = "malloc, every page touched",
       .open = from_malloc,
       .plainness = 0,
       .procedure = 2},
      of_kind(transfers::pageable),
      of_kind(transfers::pageable_huge),
      of_kind(transfers::registered),
      of_kind(transfers::registered_huge),
      of_kind(pinned()),
      of_kind(pinned(pin_flags::portable)),
      of_kind(pinned(pin_flags::mapped)),
      of_kind(pinned(pin_flags::write_combined)),
      {.name = method("lock_untouched"),
       .summary = "only cudaHostRegister of untouched memory",
       .open = lock_untouched,
       .gives = resource::page_lock,
       .smallest = std::size_t{256} << 10,
       .plainness = 2},
      {.name = method("lock_touched"),
       .summary = "only cudaHostRegister of base pages that have been touched",
       .open = [](const job& task) { return lock_touched(task, transfers::pageable); },
       .gives = resource::page_lock,
       .plainness = 2},
      {.name = method("lock_touched_huge"),
       .summary = "only cudaHostRegister of huge pages that have been touched",
       .open = [](const job& task) { return lock_touched(task, transfers::pageable_huge); },
       .gives = resource::page_lock,
       .kind = transfers::pageable_huge,
       .plainness = 3},
      {.name = method("device"),
       .summary = "device memory from cudaMalloc",
       .open = on_device,
       .gives = resource::device_memory},
      {.name = method("device_async"),
       .summary = "device memory from cudaMallocFromPoolAsync and a wait, pool warm",
       .open = on_device_async,
       .gives = resource::device_memory,
       .target = release_target::pool,
       .cuda = own_call{"cudaMallocFromPoolAsync"},
       .plainness = 2},
      {.name = method("device_pool"),
       .summary = "transfers::device_pool, warm, in the order of the stream",
       .open = from_device_pool,
       .gives = resource::device_memory,
       .target = release_target::pool,
       .plainness = 2},
      {.name = method("pinned_pool"),
       .summary = "transfers::pinned_pool, warm",
       .open = from_pinned_pool,
       .target = release_target::pool,
       .kind = pinned(),
       .plainness = 2},
      host_pool(pooled_memory::host, freed_memory::given_back),
      host_pool(pooled_memory::host, freed_memory::kept),
      host_pool(pooled_memory::host_numa, freed_memory::given_back),
      host_pool(pooled_memory::host_numa, freed_memory::kept),
  };
}

}  // namespace bench_transfers::bench
