#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/strategies/beside.hpp"
#include "bench/strategies/bulk_copy.hpp"
#include "bench/strategies/gpu_work.hpp"
#include "bench/strategies/small_copies.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/subjects/async_memory.hpp"
#include "bench/subjects/launches.hpp"
#include "bench/verification/pattern.hpp"
#include "src/common/quantities.hpp"
#include "src/machine/gpu_monitor.hpp"
#include "transfers/core/error.hpp"
#include "transfers/core/pool.hpp"
#include "transfers/launch/graph.hpp"
#include "transfers/launch/source_module.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::direction;

constexpr std::size_t kib_of_call = 1024;
constexpr std::size_t mib_of_call = 1024 * kib_of_call;

/// A call that another thread makes.
struct blocking_call {
  std::string name, summary;
  std::function<repeated_call(const job&)> prepare;
  std::optional<std::string> size = {};  ///< "64MiB_h2d"
  std::size_t host_bytes = 0;            ///< that it allocates
  bool staged_copier = false, page_locks = false;
  std::function<std::optional<std::string>(const transfers::device&)> why_unsupported = {};
};

// --- Copies --------------------------------------------------------------------------------------

/// A copy between memory of its own.
class own_copy {
 public:
  own_copy(const job& task, const bulk_method& method, std::size_t bytes, direction direction)
      : device_(task.device),
        poison_(task.memory.pattern(true)),
        host_(task.device.allocate_host(bytes, method.memory)),
        on_device_(task.device.allocate(bytes)),
        copy_(task, ends_between(direction), direction, method) {
    write_pattern(device_, copy_.source(), task.memory.pattern());
    poison();
  }

  void run() { copy_.run(); }
  /// Of the copies since the last call.
  [[nodiscard]] std::optional<std::string> find_damage() {
    auto damage = copy_.find_damage();
    poison();
    return damage;
  }

 private:
  void poison() {
    write_pattern(device_, copy_.destination(), poison_);
    device_.synchronize();
  }
  [[nodiscard]] ends ends_between(direction direction) const {
    const payload host{host_.data(), host_.size(), false, &host_, 0, 0};
    const payload device{on_device_.data(), on_device_.size(), true, nullptr, 0, 0};
    return direction == direction::h2d ? ends{host, device} : ends{device, host};
  }

  transfers::device& device_;
  pattern poison_;
  transfers::host_memory host_;
  transfers::device_memory on_device_;
  bulk_copy copy_;
};

blocking_call copy_call(const bulk_method& method, std::size_t bytes, direction direction) {
  return {.name = method.name,
          .summary = method.summary,
          .prepare =
              [=](const job& task) {
                const auto copy = std::make_shared<own_copy>(task, method, bytes, direction);
                return repeated_call{[copy] { copy->run(); },
                                     [copy] { return copy->find_damage(); }, bytes};
              },
          .size = common::format_size(bytes) + (direction == direction::h2d ? "_h2d" : "_d2h"),
          .host_bytes = bytes,
          .staged_copier = method.mover == bulk_mover::staged};
}

std::vector<blocking_call> copy_calls() {
  const bulk_method memcpy_pageable{.name = "memcpy_pageable",
                                    .summary = "cudaMemcpy of pageable memory",
                                    .mover = bulk_mover::memcpy,
                                    .memory = transfers::pageable};
  const std::vector<bulk_method> methods{
      memcpy_pageable,
      {.name = "memcpy_pinned",
       .summary = "cudaMemcpy of pinned memory",
       .mover = bulk_mover::memcpy,
       .memory = transfers::pinned()},
      {.name = "memcpy_async_pageable",
       .summary = "cudaMemcpyAsync of pageable memory and a wait",
       .memory = transfers::pageable},
      {.name = "memcpy_async_pinned",
       .summary = "cudaMemcpyAsync of pinned memory and a wait",
       .memory = transfers::pinned()},
      {.name = "device_copy_pageable",
       .summary = "the library's copies of pageable memory that wait",
       .mover = bulk_mover::device_copy,
       .memory = transfers::pageable},
      {.name = "device_copy_pinned",
       .summary = "the library's copies of pinned memory that wait",
       .mover = bulk_mover::device_copy,
       .memory = transfers::pinned()},
      {.name = "staged",
       .summary = "the library's staged copies",
       .mover = bulk_mover::staged,
       .memory = transfers::pageable}};
  std::vector<blocking_call> calls;
  for (const auto& method : methods)
    for (const auto way : {direction::h2d, direction::d2h})
      calls.push_back(copy_call(method, 64 * mib_of_call, way));
  for (const auto bytes : {mib_of_call, 64 * kib_of_call})
    calls.push_back(copy_call(memcpy_pageable, bytes, direction::h2d));
  return calls;
}

// --- Others --------------------------------------------------------------------------------------

std::shared_ptr<transfers::stream> own_stream(const job& task) {
  return task.device.create_stream();
}

std::vector<blocking_call> allocations() {
  constexpr auto host_bytes = 16 * mib_of_call;
  constexpr auto device_bytes = mib_of_call;
  return {
      {.name = "host_alloc",
       .summary = "cudaHostAlloc and cudaFreeHost",
       .prepare =
           [](const job& task) {
             return repeated_call{[&device = task.device] {
               static_cast<void>(device.allocate_host(host_bytes, transfers::pinned()));
             }};
           },
       .size = common::format_size(host_bytes),
       .host_bytes = host_bytes},
      {.name = "host_register",
       .summary = "cudaHostRegister and cudaHostUnregister",
       .prepare =
           [](const job& task) {
             const auto memory = std::make_shared<transfers::host_memory>(
                 task.device.allocate_host(host_bytes, transfers::pageable));
             return repeated_call{[memory, &device = task.device] {
               static_cast<void>(device.lock(std::span(memory->data(), memory->size())));
             }};
           },
       .size = common::format_size(host_bytes),
       .host_bytes = host_bytes,
       .page_locks = true},
      {.name = "malloc",
       .summary = "cudaMalloc and cudaFree",
       .prepare =
           [](const job& task) {
             return repeated_call{
                 [&device = task.device] { static_cast<void>(device.allocate(device_bytes)); }};
           },
       .size = common::format_size(device_bytes)},
      {.name = "malloc_async",
       .summary = "cudaMallocFromPoolAsync and cudaFreeAsync, each with a wait",
       .prepare =
           [](const job& task) {
             const auto stream = own_stream(task);
             return repeated_call{
                 [stream, allocate = subjects::async_allocator(task.device, *stream,
                                                               subjects::pooled_memory::device,
                                                               subjects::freed_memory::kept)] {
                   static_cast<void>(allocate(device_bytes));
                 }};
           },
       .size = common::format_size(device_bytes),
       .why_unsupported =
           [](const transfers::device& device) {
             return why_not_cuda("cudaMallocFromPoolAsync", device);
           }},
      {.name = "device_pool",
       .summary = "a block of the library's pool and back",
       .prepare =
           [](const job& task) {
             const auto stream = own_stream(task);
             return repeated_call{[stream, pool = transfers::device_pool(task.device)]() mutable {
               static_cast<void>(pool.allocate(device_bytes, *stream));
             }};
           },
       .size = common::format_size(device_bytes)}};
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

const auto launches = std::to_string(gpu_work::kernels_of_chain);

std::vector<blocking_call> others() {
  return {{.name = "stream_create",
           .summary = "cudaStreamCreateWithFlags and cudaStreamDestroy",
           .prepare =
               [](const job& task) {
                 return repeated_call{
                     [&device = task.device] { static_cast<void>(device.create_stream()); }};
               }},
          {.name = "stream_synchronize",
           .summary = "cudaStreamSynchronize of an idle stream",
           .prepare =
               [](const job& task) {
                 return repeated_call{[stream = own_stream(task)] { stream->synchronize(); }};
               }},
          {.name = "event_record",
           .summary = "cudaEventCreateWithFlags, cudaEventRecord and cudaEventDestroy",
           .prepare =
               [](const job& task) {
                 const auto stream = own_stream(task);
                 return repeated_call{
                     [stream] { static_cast<void>(stream->record(transfers::event_timing::off)); }};
               }},
          {.name = "mem_get_info",
           .summary = "cudaMemGetInfo",
           .prepare =
               [](const job& task) {
                 return repeated_call{
                     [&device = task.device] { static_cast<void>(device.free_memory()); }};
               }},
          {.name = "pointer_attributes",
           .summary = "cudaPointerGetAttributes",
           .prepare =
               [](const job& task) {
                 const auto memory = std::make_shared<transfers::host_memory>(
                     task.device.allocate_host(kib_of_call, transfers::pageable));
                 return repeated_call{[memory, &device = task.device] {
                   static_cast<void>(device.copies_directly(memory->data()));
                 }};
               }},
          {.name = "graph_instantiate",
           .summary = "recording and instantiating a graph of " + launches + " kernels",
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

// --- What is timed beside them -------------------------------------------------------------------

constexpr std::size_t bytes_of_small_copy = 64 * kib_of_call;

/// Work, and how its results are made wrong.
struct victim {
  timed_work work;
  std::function<void()> corrupt;
};

victim copying_victim(const job& task) {
  const auto copies = std::make_shared<small_copies>(task, small_kind{.name = "memcpy",
                                                                      .summary = "cudaMemcpyAsync",
                                                                      .bytes = bytes_of_small_copy,
                                                                      .direction = direction::h2d});
  return {{[copies] {
             copies->choose_next();
             copies->run();
           },
           [copies] { return copies->find_damage(); }},
          [copies] { copies->corrupt(); }};
}

template <work_kind kind>
victim launching_victim(const job& task) {
  const auto work = std::make_shared<gpu_work>(task, kind, work_priority::equal);
  return {{[work] { work->run(); }, [work] { return work->find_damage(); }},
          [work] { work->corrupt(); }};
}

transfer prepare(const job& task, victim (*make_victim)(const job&), const blocking_call& call) {
  auto victim = make_victim(task);
  auto operation = timed_beside(task, std::move(victim.work), call.prepare(task));
  operation.check.corrupt = std::move(victim.corrupt);
  return operation;
}

std::vector<variant> variants_of(const blocking_call& call) {
  const auto variant_of = [&](const char* name, victim (*make_victim)(const job&)) {
    return variant{.name = name,
                   .prepare = [=](const job& task) { return prepare(task, make_victim, call); }};
  };
  return {variant_of("chain", launching_victim<work_kind::arithmetic_chain>),
          variant_of("graph", launching_victim<work_kind::arithmetic_graph>),
          variant_of("copy", copying_victim)};
}

const result_file::role role{"blocked", "work while another thread makes a call",
                             result_file::table::times};

strategy strategy_for(const blocking_call& call) {
  // Both ends of the copies that are timed.
  constexpr std::size_t memory_of_copies = 2 * small_copies::places * bytes_of_small_copy;
  strategy result{
      .family = "blocked",
      .parts = {method(call.name)},
      .summary = launches +
                 " launches, a graph or a small copy while another thread calls: " + call.summary,
      .variants = variants_of(call),
      .role = role,
      .plainness = 1,
      .procedure = 2,  // as in company
      .shares_link = false,
      .needs = {.fixed_host_memory = call.host_bytes + memory_of_copies,
                .staged_copier = call.staged_copier,
                .page_locks = call.page_locks,
                .why_unsupported =
                    [call](const transfers::device& device) {
                      const auto reason =
                          call.why_unsupported ? call.why_unsupported(device) : std::nullopt;
                      return reason ? reason : why_no_calls_beside();
                    }},
      .sampling = {
          .sized = false, .cold = false, .on_request = true, .profiles = {{"company", {"chain"}}}}};
  if (call.size) result.parts.push_back(setting(*call.size));
  return result;
}

const struct blocked_strategies {
  blocked_strategies() {
    for (const auto& calls : {copy_calls(), allocations(), others()})
      for (const auto& call : calls) registration{strategy_for(call)};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
