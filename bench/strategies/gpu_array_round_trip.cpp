#include "bench/strategies/array_operations.hpp"
#include "bench/strategy/heap.hpp"

namespace bench_transfers::bench::gpu_array_round_trip_strategies {
namespace {

using transfers::allocation;
using transfers::arithmetic;
using transfers::gpu_array;
using transfers::host_array;
using transfers::host_memory_kind;

enum class arrays { allocated_each_time, reused };

/// Each step waits for its work, so that each has its own time.
template <class T>
transfer round_trip_in_steps(const job& task, host_memory_kind kind, allocation allocation,
                             arrays arrays) {
  struct shared_state {
    transfers::context context;
    std::optional<gpu_array<T>> a, b;
    void allocate(std::size_t n) {
      a.emplace(context, transfers::shape{n});
      b.emplace(context, transfers::shape{n});
    }
  };
  round_trip_ends<T> ends(task, kind);
  const auto state = std::make_shared<shared_state>(
      shared_state{context_for(task, route::plain, allocation), {}, {}});
  const step allocate{"allocate", [state, n = ends.src.size()] { state->allocate(n); }};
  const step upload{"upload", [state, src = ends.src] { state->a->set(src); }};
  const step compute{"compute", [state] {
                       transfers::calculate(arithmetic::multiply, 2, *state->a, *state->b);
                       state->context.synchronize();
                     }};
  const step download{"download", [state, dst = ends.dst] { state->b->get(dst); }};
  const step free{"free", [state] {
                    state->a.reset();
                    state->b.reset();
                  }};
  if (arrays == arrays::reused) {
    allocate.run();
    ends.frame.steps = {upload, compute, download};
  } else {
    ends.frame.steps = {allocate, upload, compute, download, free};
  }
  return ends.frame;
}

/// A single expression, as in user code, without waits in between.
template <class T>
transfer round_trip_as_written(const job& task, host_memory_kind kind, route route) {
  round_trip_ends<T> ends(task, kind);
  const auto context = context_for(task, route);
  ends.frame.steps = {{"round_trip", [context, src = ends.src, dst = ends.dst] {
                         (2 * to_gpu(context, src)).get(dst);
                       }}};
  return ends.frame;
}

template <class T>
transfer round_trip_to_fresh(const job& task, host_memory_kind kind, route route) {
  disable_malloc_caching();
  round_trip_ends<T> ends(task, kind);
  const auto context = context_for(task, route);
  const auto result = std::make_shared<std::optional<host_array<T>>>();
  ends.arrive_in(result);
  ends.frame.steps = {{"free", [result] { result->reset(); }},
                      {"round_trip", [context, src = ends.src, result] {
                         *result = (2 * to_gpu(context, src)).get();
                       }}};
  return ends.frame;
}

std::vector<array_operation> round_trips() {
  const auto in_steps = [](allocation allocation, arrays arrays) {
    return array_preparation{[=](const job& task, host_memory_kind kind) {
      return round_trip_in_steps<float>(task, kind, allocation, arrays);
    }};
  };
  const auto as_written = [](route route) {
    return array_preparation{[route](const job& task, host_memory_kind kind) {
      return round_trip_as_written<float>(task, kind, route);
    }};
  };
  const auto to_fresh = [](route route) {
    return array_preparation{[route](const job& task, host_memory_kind kind) {
      return round_trip_to_fresh<float>(task, kind, route);
    }};
  };
  return {{.setting = "allocated",
           .plainness = 2,
           .summary = "in steps, arrays from cudaMalloc",
           .prepare = in_steps(allocation::plain, arrays::allocated_each_time)},
          {.setting = "pooled",
           .plainness = 1,
           .summary = "in steps, arrays from a pool",
           .prepare = in_steps(allocation::pooled, arrays::allocated_each_time)},
          {.setting = "reused",
           .plainness = 0,
           .summary = "in steps, into the same arrays",
           .prepare = in_steps(allocation::pooled, arrays::reused)},
          {.setting = "expression",
           .plainness = 3,
           .summary = "in one expression, into memory used before",
           .prepare = as_written(route::plain)},
          {.setting = "fresh",
           .plainness = 1,
           .summary = "in one expression, into new memory",
           .prepare = to_fresh(route::plain),
           .kinds = pageable_alone},
          {.setting = "staged",
           .plainness = 2,
           .summary = "in one expression, staged, into memory used before",
           .prepare = as_written(route::staged),
           .kinds = pageable_alone,
           .stages = true},
          {.setting = "staged_fresh",
           .plainness = 3,
           .summary = "in one expression, staged, into new memory",
           .prepare = to_fresh(route::staged),
           .kinds = pageable_alone,
           .stages = true}};
}

const struct array_round_trips {
  array_round_trips() {
    add_array_operations("round_trip", "(2 * to_gpu(a)).get()", result_file::direction::both,
                         round_trips());
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::gpu_array_round_trip_strategies
