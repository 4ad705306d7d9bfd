// Counts the calls of the CUDA runtime that one operation of a strategy makes: those that its
// memory needs, and no other. The linker passes them on (--wrap in CMakeLists.txt). Launches of
// kernels are not counted.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bench/harness/measure.hpp"
#include "bench/strategy/strategy.hpp"
#include "tests/gpu/on_gpu.hpp"

namespace bench_transfers::bench::calls_test {
namespace {

enum call {
  copy,
  copy_async,
  wait_for_stream,
  wait_for_device,
  wait_for_event,
  record_event,
  query_event,
  replay_graph,
  lock,
  unlock,
  query_pointer,
  calls
};
using counts = std::map<call, int>;

std::array<std::atomic<int>, calls>& counted() {
  static std::array<std::atomic<int>, calls> made{};
  return made;
}

cudaError_t passed_on(call made, cudaError_t result) {
  ++counted().at(made);
  return result;
}

}  // namespace

// What the linker calls instead, and the function of the runtime.
#define COUNT(made, name, parameters, arguments)                              \
  extern "C" cudaError_t real_##name parameters __asm__("__real_" #name);     \
  extern "C" cudaError_t counting_##name parameters __asm__("__wrap_" #name); \
  extern "C" cudaError_t counting_##name parameters {                         \
    return passed_on(made, real_##name arguments);                            \
  }

COUNT(copy, cudaMemcpy, (void* dst, const void* src, std::size_t bytes, cudaMemcpyKind kind),
      (dst, src, bytes, kind))
COUNT(copy_async, cudaMemcpyAsync,
      (void* dst, const void* src, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
      (dst, src, bytes, kind, stream))
COUNT(wait_for_stream, cudaStreamSynchronize, (cudaStream_t stream), (stream))
COUNT(wait_for_device, cudaDeviceSynchronize, (), ())
COUNT(wait_for_event, cudaEventSynchronize, (cudaEvent_t event), (event))
COUNT(record_event, cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
COUNT(query_event, cudaEventQuery, (cudaEvent_t event), (event))
COUNT(replay_graph, cudaGraphLaunch, (cudaGraphExec_t graph, cudaStream_t stream), (graph, stream))
COUNT(lock, cudaHostRegister, (void* memory, std::size_t bytes, unsigned flags),
      (memory, bytes, flags))
COUNT(unlock, cudaHostUnregister, (void* memory), (memory))
COUNT(query_pointer, cudaPointerGetAttributes,
      (cudaPointerAttributes * attributes, const void* memory), (attributes, memory))
#undef COUNT

namespace {

using transfers::host_memory_kind;

/// The calls of `copy/<kind>`.
counts calls_of_copy(host_memory_kind kind, transfers::direction direction) {
  const bool waits = !is_page_locked(kind) && direction == transfers::direction::h2d;
  return waits ? counts{{copy, 1}, {wait_for_stream, 1}} : counts{{copy, 1}};
}

/// By strategy, or strategy and variant.
const std::map<std::string, counts>& table() {
  static const counts asynchronous{{copy_async, 1}, {wait_for_stream, 1}};
  static const counts registered{{query_pointer, 2}, {lock, 1}, {copy, 1}, {unlock, 1}};
  static const std::map<std::string, counts> expected{
      {"copy_async/pageable", asynchronous},
      {"copy_async/pinned", asynchronous},
      {"copy/graph", {{replay_graph, 1}, {wait_for_stream, 1}}},
      {"copy/register_once", registered},
      {"copy/register_once_huge", registered},
      {"duplex/engines/pinned", {{copy_async, 2}, {wait_for_stream, 2}}},
      {"duplex/kernels/pinned_mapped", {{wait_for_stream, 2}}},
      {"loaded/pinned h2d/idle", {{copy, 1}}},
      {"loaded/pinned d2h/read_25_percent", {{copy, 1}}},
      {"message/memcpy", {{copy_async, 2}, {wait_for_stream, 1}}},
      {"message/graph", {{replay_graph, 1}, {wait_for_stream, 1}}},
      {"overlap/pinned serial", {{copy, 2}, {wait_for_stream, 1}}},
      {"wait/spin", asynchronous},
      {"zero_copy/pinned_mapped", {{wait_for_stream, 1}}},
      {"zero_copy/registered", {{wait_for_stream, 1}}}};
  return expected;
}

class calls_of_strategies : public transfers::on_gpu {
 protected:
  static constexpr std::size_t bytes = std::size_t{1} << 20;

  void set_up() override {
    current_ = gpu->make_current();
    memory_.emplace(*gpu, 5);
    memory_->reserve_device(2 * buffers::distance(bytes));
    stream_ = gpu->create_stream();
  }

  /// Of one operation, after another one.
  counts made_by(const strategy& measured, std::string_view variant,
                 transfers::direction direction) {
    if (const auto kind = measured.needs.host; kind && !memory_->all_host().contains(*kind))
      memory_->reserve_host(*kind, 2 * buffers::distance(bytes));
    const auto operation = measured.prepare({.device = *gpu,
                                             .memory = *memory_,
                                             .stream = *stream_,
                                             .variant = variant,
                                             .bytes = measured.sampling.sized ? bytes : 0,
                                             .direction = direction});
    const auto conditions = conditions_of(operation);
    const auto run = [&] {
      if (operation.timing.between) operation.timing.between();
      for (auto& made : counted()) made = 0;
      for (const auto& step : operation.steps) step.run();
    };
    run();
    run();
    counts made;
    for (int which = 0; which < calls; ++which)
      if (const int times = counted().at(static_cast<std::size_t>(which)); times > 0)
        made[static_cast<call>(which)] = times;
    return made;
  }

 private:
  std::shared_ptr<const void> current_;
  std::optional<buffers> memory_;
  std::unique_ptr<transfers::stream> stream_;
};

TEST_F(calls_of_strategies, are_those_that_a_copy_of_each_memory_needs) {
  std::size_t compared = 0;
  for (const auto& measured : registered_strategies()) {
    const auto kind = measured.needs.host;
    if (!kind || measured.name() != "copy/" + to_string(*kind)) continue;
    if (why_unsupported(measured, *gpu)) continue;
    for (const auto direction : {transfers::direction::h2d, transfers::direction::d2h})
      EXPECT_EQ(made_by(measured, "", direction), calls_of_copy(*kind, direction))
          << measured.name() << (direction == transfers::direction::h2d ? " h2d" : " d2h");
    ++compared;
  }
  EXPECT_GT(compared, 3U);
}

TEST_F(calls_of_strategies, are_those_of_the_table) {
  const auto all = registered_strategies();
  for (const auto& [name, expected] : table()) {
    const auto end = name.find(' ');
    const auto measured = std::ranges::find(all, name.substr(0, end), &strategy::name);
    ASSERT_NE(measured, all.end()) << name;
    if (why_unsupported(*measured, *gpu)) continue;
    const auto variant = end == std::string::npos ? "" : name.substr(end + 1);
    EXPECT_EQ(made_by(*measured, variant, transfers::direction::h2d), expected) << name;
  }
}

}  // namespace
}  // namespace bench_transfers::bench::calls_test
