#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/strategies/blocking_call.hpp"
#include "bench/strategies/gpu_work.hpp"
#include "bench/subjects/async_memory.hpp"
#include "bench/subjects/launches.hpp"
#include "src/common/quantities.hpp"
#include "src/machine/gpu_monitor.hpp"
#include "transfers/core/error.hpp"
#include "transfers/core/pool.hpp"
#include "transfers/launch/graph.hpp"
#include "transfers/launch/source_module.hpp"

namespace bench_transfers::bench {
namespace {

std::shared_ptr<transfers::stream> own_stream(const job& task) {
  return task.device.create_stream();
}

constexpr std::size_t allocated_host_bytes = std::size_t{16} << 20;
constexpr std::size_t allocated_device_bytes = std::size_t{1} << 20;

repeated_call pinned_allocation(const job& task) {
  return {[&device = task.device] {
    static_cast<void>(device.allocate_host(allocated_host_bytes, transfers::pinned()));
  }};
}

repeated_call page_locking(const job& task) {
  const auto memory = std::make_shared<transfers::host_memory>(
      task.device.allocate_host(allocated_host_bytes, transfers::pageable));
  return {[memory, &device = task.device] {
    static_cast<void>(device.lock(std::span(memory->data(), memory->size())));
  }};
}

repeated_call device_allocation(const job& task) {
  return {[&device = task.device] { static_cast<void>(device.allocate(allocated_device_bytes)); }};
}

repeated_call asynchronous_allocation(const job& task) {
  const auto stream = own_stream(task);
  return {[stream, allocate = subjects::async_allocator(task.device, *stream,
                                                        subjects::pooled_memory::device,
                                                        subjects::freed_memory::kept)] {
    static_cast<void>(allocate(allocated_device_bytes));
  }};
}

std::optional<std::string> why_no_asynchronous_allocation(const transfers::device& device) {
  return why_not_cuda("cudaMallocFromPoolAsync", device);
}

repeated_call pool_allocation(const job& task) {
  const auto stream = own_stream(task);
  return {[stream, pool = transfers::device_pool(task.device)]() mutable {
    static_cast<void>(pool.allocate(allocated_device_bytes, *stream));
  }};
}

repeated_call stream_creation(const job& task) {
  return {[&device = task.device] { static_cast<void>(device.create_stream()); }};
}

repeated_call stream_synchronization(const job& task) {
  return {[stream = own_stream(task)] { stream->synchronize(); }};
}

repeated_call event_recording(const job& task) {
  const auto stream = own_stream(task);
  return {[stream] { static_cast<void>(stream->record(transfers::event_timing::off)); }};
}

repeated_call memory_query(const job& task) {
  return {[&device = task.device] { static_cast<void>(device.free_memory()); }};
}

repeated_call pointer_query(const job& task) {
  constexpr std::size_t bytes = 1024;
  const auto memory = std::make_shared<transfers::host_memory>(
      task.device.allocate_host(bytes, transfers::pageable));
  return {[memory, &device = task.device] {
    static_cast<void>(device.copies_directly(memory->data()));
  }};
}

repeated_call graph_instantiation(const job& task) {
  const auto stream = own_stream(task);
  const auto nothing = subjects::empty_kernel(task.device, 0).prepare<>();
  return {[stream, nothing] {
    static_cast<void>(transfers::graph(*stream, [stream, nothing] {
      for (unsigned i = 0; i < gpu_work::kernels_of_chain; ++i) nothing(*stream, {});
    }));
  }};
}

repeated_call module_loading(const job& task) {
  return {[&device = task.device] {
    static_cast<void>(transfers::source_module(device, "__global__ void nothing() {}"));
  }};
}

std::optional<std::string> why_no_modules(const transfers::device& device) {
  if (!device.description().cuda) return "the host device loads no modules";
  return transfers::why_no_compiler();
}

repeated_call nvml_query(const job& task) {
  const std::shared_ptr<const machine::gpu_monitor> monitor =
      machine::monitor_gpu(task.device.description().cuda->pci_bus_id);
  if (!monitor) throw transfers::unsupported("NVML cannot be used here");
  return {[monitor] { static_cast<void>(monitor->read()); }};
}

std::optional<std::string> why_no_nvml(const transfers::device& device) {
  if (!device.description().cuda) return "NVML knows only GPUs";
  if (!machine::built_with_nvml()) return "the program was built without nvml.h";
  return std::nullopt;
}

}  // namespace

std::vector<blocking_call> blocking_allocations() {
  const auto host_size = common::format_size(allocated_host_bytes);
  const auto device_size = common::format_size(allocated_device_bytes);
  return {{.name = "host_alloc",
           .summary = "cudaHostAlloc and cudaFreeHost",
           .prepare = pinned_allocation,
           .size = host_size,
           .host_bytes = allocated_host_bytes},
          {.name = "host_register",
           .summary = "cudaHostRegister and cudaHostUnregister",
           .prepare = page_locking,
           .size = host_size,
           .host_bytes = allocated_host_bytes,
           .page_locks = true},
          {.name = "malloc",
           .summary = "cudaMalloc and cudaFree",
           .prepare = device_allocation,
           .size = device_size},
          {.name = "malloc_async",
           .summary = "cudaMallocFromPoolAsync and cudaFreeAsync, each with a wait",
           .prepare = asynchronous_allocation,
           .size = device_size,
           .why_unsupported = why_no_asynchronous_allocation},
          {.name = "device_pool",
           .summary = "a block of the library's pool and back",
           .prepare = pool_allocation,
           .size = device_size}};
}

std::vector<blocking_call> other_blocking_calls() {
  return {{.name = "stream_create",
           .summary = "cudaStreamCreateWithFlags and cudaStreamDestroy",
           .prepare = stream_creation},
          {.name = "stream_synchronize",
           .summary = "cudaStreamSynchronize of an idle stream",
           .prepare = stream_synchronization},
          {.name = "event_record",
           .summary = "cudaEventCreateWithFlags, cudaEventRecord and cudaEventDestroy",
           .prepare = event_recording},
          {.name = "mem_get_info", .summary = "cudaMemGetInfo", .prepare = memory_query},
          {.name = "pointer_attributes",
           .summary = "cudaPointerGetAttributes",
           .prepare = pointer_query},
          {.name = "graph_instantiate",
           .summary = "recording and instantiating a graph of " +
                      std::to_string(gpu_work::kernels_of_chain) + " kernels",
           .prepare = graph_instantiation},
          {.name = "source_module",
           .summary = "compiling a kernel with NVRTC, loading and unloading it",
           .prepare = module_loading,
           .why_unsupported = why_no_modules},
          {.name = "nvml_read",
           .summary = "reading the GPU's clocks by NVML",
           .prepare = nvml_query,
           .why_unsupported = why_no_nvml}};
}

}  // namespace bench_transfers::bench
