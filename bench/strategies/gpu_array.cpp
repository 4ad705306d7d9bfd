#include "bench/strategy/elements.hpp"
#include "bench/strategy/heap.hpp"
#include "bench/strategy/strategy.hpp"
#include "bench/verification/pattern.hpp"
#include "transfers/array/arithmetic.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::allocation;
using transfers::arithmetic;
using transfers::context;
using transfers::gpu_array;
using transfers::host_array;
using transfers::host_memory_kind;

constexpr std::size_t largest_size = std::size_t{256} << 20;

/// How pageable memory is copied: by cudaMemcpy, or by the run's calibrated copier. By
/// default an array uses a copier with default settings.
enum class route { plain, staged };

context context_for(const job& task, route route = route::plain,
                    allocation allocation = allocation::pooled) {
  context result(task.device, task.stream, allocation);
  result.stage_by(route == route::staged ? task.memory.staged_copier() : nullptr);
  return result;
}

// --- Upload --------------------------------------------------------------------------------------

/// The common part of all uploads.
template <class T>
struct upload_ends {
  transfer frame;
  std::span<T> src;

  upload_ends(const job& task, host_memory_kind kind) {
    const auto source = host_payload(task, kind);
    src = elements_of<T>(source);
    frame.source = source;
    frame.amount.bytes = src.size_bytes();
  }
};

/// The array of an operation stays until the next one, so that it can be verified: therefore "free"
/// is the first step.
template <class T>
transfer upload_to_new(const job& task, host_memory_kind kind, allocation allocation) {
  struct shared_state {
    transfers::context context;
    std::optional<gpu_array<T>> array;
  };
  upload_ends<const T> ends(task, kind);
  const auto state =
      std::make_shared<shared_state>(shared_state{context_for(task, route::plain, allocation), {}});
  state->array.emplace(state->context, transfers::shape{ends.src.size()});
  ends.frame.locate = [state] { return own_payload(*state->array); };
  ends.frame.steps = {
      {"free", [state] { state->array.reset(); }},
      {"allocate",
       [state, n = ends.src.size()] { state->array.emplace(state->context, transfers::shape{n}); }},
      {"upload", [state, src = ends.src] { state->array->set(src); }}};
  return ends.frame;
}

/// A single call, as in user code.
transfer upload_as_written(const job& task, host_memory_kind kind, route route) {
  upload_ends<const float> ends(task, kind);
  const auto context = context_for(task, route);
  const auto array = std::make_shared<std::optional<gpu_array<float>>>(to_gpu(context, ends.src));
  ends.frame.locate = [array] { return own_payload(**array); };
  ends.frame.steps = {
      {"free", [array] { array->reset(); }},
      {"to_gpu", [array, context, src = ends.src] { array->emplace(to_gpu(context, src)); }}};
  return ends.frame;
}

transfer upload_to_reused(const job& task, host_memory_kind kind) {
  upload_ends<const float> ends(task, kind);
  const auto array =
      std::make_shared<gpu_array<float>>(context_for(task), transfers::shape{ends.src.size()});
  ends.frame.destination = own_payload(*array);
  ends.frame.steps = {{"upload", [array, src = ends.src] { array->set(src); }}};
  return ends.frame;
}

/// Shows whether page-locking pays for a single transfer: locks the source for the upload only…
transfer upload_locked_once(const job& task, host_memory_kind kind) {
  struct shared_state {
    transfers::device& device;
    std::span<std::byte> memory;
    gpu_array<float> array;
    std::optional<transfers::page_lock> lock;
  };
  upload_ends<float> ends(task, kind);
  const auto state = std::make_shared<shared_state>(
      shared_state{task.device,
                   std::as_writable_bytes(ends.src),
                   {context_for(task), transfers::shape{ends.src.size()}},
                   {}});
  ends.frame.destination = own_payload(state->array);
  ends.frame.steps = {{"lock", [state] { state->lock.emplace(state->device.lock(state->memory)); }},
                      {"upload", [state, src = ends.src] { state->array.set(src); }},
                      {"unlock", [state] { state->lock.reset(); }}};
  return ends.frame;
}

/// …or copies it to new page-locked memory.
transfer upload_pinned_once(const job& task, host_memory_kind kind) {
  struct shared_state {
    transfers::device& device;
    gpu_array<float> array;
    std::optional<host_array<float>> pinned;
  };
  upload_ends<const float> ends(task, kind);
  const auto state = std::make_shared<shared_state>(
      shared_state{task.device, {context_for(task), transfers::shape{ends.src.size()}}, {}});
  ends.frame.destination = own_payload(state->array);
  ends.frame.steps = {
      {"allocate",
       [state] {
         state->pinned.emplace(transfers::pinned_empty<float>(state->device, state->array.shape()));
       }},
      {"fill", [state, src = ends.src] { std::ranges::copy(src, state->pinned->begin()); }},
      {"upload", [state] { state->array.set(*state->pinned); }},
      {"free", [state] { state->pinned.reset(); }}};
  return ends.frame;
}

// --- Download ------------------------------------------------------------------------------------

template <class T>
std::shared_ptr<gpu_array<T>> array_with_pattern(const job& task, std::size_t elements,
                                                 const context& context) {
  auto array = std::make_shared<gpu_array<T>>(context, transfers::shape{elements});
  write_pattern(task.device, reinterpret_cast<std::byte*>(array->data()), 0, array->bytes(),
                task.memory.pattern());
  return array;
}

template <class T>
transfer download_to_touched(const job& task, host_memory_kind kind, route route) {
  auto destination = host_payload(task, kind);
  const auto elements = elements_of<T>(destination);
  destination.bytes = elements.size_bytes();
  const auto array = array_with_pattern<T>(task, elements.size(), context_for(task, route));
  transfer download;
  download.destination = destination;
  download.amount.bytes = elements.size_bytes();
  download.steps = {{"download", [array, elements] { array->get(elements); }}};
  return download;
}

/// Downloads to new memory of a kind. For plain pageable memory these are the steps of get()
/// without an argument, with untouched memory from the C++ library.
transfer download_to_fresh(const job& task, host_memory_kind kind, route route) {
  disable_malloc_caching();
  const auto make = [kind, &device = task.device](const transfers::shape& shape) {
    return kind == transfers::pageable ? host_array<float>(shape)
                                       : host_array<float>(device, shape, kind);
  };
  const auto array =
      array_with_pattern<float>(task, task.bytes / sizeof(float), context_for(task, route));
  const auto fresh = std::make_shared<std::optional<host_array<float>>>(make(array->shape()));
  transfer download;
  download.amount.bytes = array->bytes();
  download.locate = [fresh] { return own_payload(**fresh); };
  download.steps = {{"free", [fresh] { fresh->reset(); }},
                    {"allocate", [fresh, array, make] { fresh->emplace(make(array->shape())); }},
                    {"download", [fresh, array] { array->get(**fresh); }}};
  return download;
}

// --- Round trip: (2 * to_gpu(a)).get() -------------------------------------------------------

/// The common part of all round trips: source, destination and verification.
template <class T>
struct round_trip_ends {
  transfer frame;
  std::span<const T> src;
  std::span<T> dst;

  round_trip_ends(const job& task, host_memory_kind kind) {
    auto source = host_payload(task, kind, 0);
    auto destination = host_payload(task, kind, 1);
    src = elements_of<const T>(source);
    dst = elements_of<T>(destination);
    frame.source = source;
    frame.destination = destination;
    frame.check.compare = [src = src, dst = dst] {
      return find_wrong_element<T>(dst, [src](std::size_t i) { return T{2} * src[i]; });
    };
  }
};

/// Each step waits for its work, so that each has its own time.
template <class T>
transfer round_trip_in_steps(const job& task, host_memory_kind kind, allocation allocation,
                             bool reuses_arrays) {
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
  if (reuses_arrays) {
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
  ends.frame.locate = [result] { return *result ? own_payload(**result) : payload{}; };
  ends.frame.destination.reset();
  ends.frame.check.compare = [result, src = ends.src] {
    return find_wrong_element<T>({(*result)->data(), (*result)->size()},
                                 [src](std::size_t i) { return T{2} * src[i]; });
  };
  ends.frame.steps = {{"free", [result] { result->reset(); }},
                      {"round_trip", [context, src = ends.src, result] {
                         *result = (2 * to_gpu(context, src)).get();
                       }}};
  return ends.frame;
}

// --- Strategies ----------------------------------------------------------------------------------

/// Prepares an operation, with elements of float unless they are of every type.
struct array_preparation {
  std::function<transfer(const job&, host_memory_kind)> function;
  bool every_type = false;  ///< a variant for each, in pinned memory only: a copy moves bytes
};

template <class Prepare>
array_preparation of_every_type(Prepare prepare) {
  return {[prepare](const job& task, host_memory_kind kind) {
            return with_element(task.variant, [&]<class T>(T) {
              return prepare.template operator()<T>(task, kind);
            });
          },
          true};
}

const std::vector<host_memory_kind> both_kinds{transfers::pageable, transfers::pinned()};
const std::vector<host_memory_kind> pageable_alone{transfers::pageable};

/// An operation on arrays in one setting.
struct array_operation {
  std::string setting;
  unsigned plainness;
  std::string summary;
  array_preparation prepare;
  std::vector<host_memory_kind> kinds = both_kinds;
  bool stages = false;
};

std::vector<array_operation> uploads() {
  const auto to_new = [](const job& task, host_memory_kind kind) {
    return upload_to_new<float>(task, kind, allocation::plain);
  };
  const auto to_new_of_pool = of_every_type([]<class T>(const job& task, host_memory_kind kind) {
    return upload_to_new<T>(task, kind, allocation::pooled);
  });
  const auto as_written = [](route route) {
    return array_preparation{[route](const job& task, host_memory_kind kind) {
      return upload_as_written(task, kind, route);
    }};
  };
  return {{.setting = "allocated",
           .plainness = 2,
           .summary = "new array from cudaMalloc each time",
           .prepare = {to_new}},
          {.setting = "pooled",
           .plainness = 1,
           .summary = "new array from a pool each time",
           .prepare = to_new_of_pool},
          {.setting = "reused",
           .plainness = 0,
           .summary = "into the same array",
           .prepare = {upload_to_reused}},
          {.setting = "expression",
           .plainness = 3,
           .summary = "in one call, new array from a pool",
           .prepare = as_written(route::plain)},
          {.setting = "locked_once",
           .plainness = 4,
           .summary = "source page-locked for this upload only",
           .prepare = {upload_locked_once},
           .kinds = pageable_alone},
          {.setting = "pinned_once",
           .plainness = 5,
           .summary = "through new page-locked memory for this upload only",
           .prepare = {upload_pinned_once},
           .kinds = pageable_alone},
          {.setting = "staged",
           .plainness = 2,
           .summary = "in one call, staged",
           .prepare = as_written(route::staged),
           .kinds = pageable_alone,
           .stages = true}};
}

std::vector<array_operation> downloads() {
  const auto fresh = [](route route) {
    return array_preparation{[route](const job& task, host_memory_kind kind) {
      return download_to_fresh(task, kind, route);
    }};
  };
  const auto touched = of_every_type([]<class T>(const job& task, host_memory_kind kind) {
    return download_to_touched<T>(task, kind, route::plain);
  });
  const auto touched_staged = [](const job& task, host_memory_kind kind) {
    return download_to_touched<float>(task, kind, route::staged);
  };
  return {{.setting = "fresh",
           .plainness = 1,
           .summary = "into new memory each time",
           .prepare = fresh(route::plain)},
          {.setting = "touched",
           .plainness = 0,
           .summary = "into memory used before",
           .prepare = touched},
          {.setting = "staged",
           .plainness = 2,
           .summary = "staged, into memory used before",
           .prepare = {touched_staged},
           .kinds = pageable_alone,
           .stages = true},
          {.setting = "staged_fresh",
           .plainness = 3,
           .summary = "staged, into new memory",
           .prepare = fresh(route::staged),
           .kinds = pageable_alone,
           .stages = true}};
}

std::vector<array_operation> round_trips() {
  const auto in_steps = [](allocation allocation, bool reuses_arrays) {
    return array_preparation{[=](const job& task, host_memory_kind kind) {
      return round_trip_in_steps<float>(task, kind, allocation, reuses_arrays);
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
           .prepare = in_steps(allocation::plain, false)},
          {.setting = "pooled",
           .plainness = 1,
           .summary = "in steps, arrays from a pool",
           .prepare = in_steps(allocation::pooled, false)},
          {.setting = "reused",
           .plainness = 0,
           .summary = "in steps, into the same arrays",
           .prepare = in_steps(allocation::pooled, true)},
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

/// gpu_array/<method>/<memory>/<setting>, a variant for each element type.
strategy strategy_for(const std::string& name, const std::string& called,
                      result_file::direction direction, const array_operation& operation,
                      host_memory_kind kind) {
  const bool every_type = operation.prepare.every_type && kind != transfers::pageable;
  return {.family = "gpu_array",
          .parts = {method(name), in_memory(kind), setting(operation.setting)},
          .summary = called + ", " + operation.summary,
          .variants = named(every_type ? element_types() : std::vector<std::string>{"float32"}),
          .role = roles::array,
          .direction = direction,
          .plainness = operation.plainness,
          .prepare = [kind, prepare = operation.prepare.function](
                         const job& task) { return prepare(task, kind); },
          .needs = {.host = kind,
                    .host_payloads = direction == result_file::direction::both ? 2U : 1U,
                    .more_host_memory = 1,
                    // An array, an intermediate one, and one that the pool keeps.
                    .more_device_memory = direction == result_file::direction::both ? 3U : 2U,
                    .staged_copier = operation.stages},
          .sampling = {.smallest = every_type ? largest_element : sizeof(float),
                       .largest = largest_size,
                       .cold = false}};
}

void add(const std::string& name, const std::string& called, result_file::direction direction,
         const std::vector<array_operation>& operations) {
  for (const auto& operation : operations)
    for (const auto kind : operation.kinds)
      registration{strategy_for(name, called, direction, operation, kind)};
}

const struct array_strategies {
  array_strategies() {
    using result_file::direction;
    add("to_gpu", "to_gpu", direction::h2d, uploads());
    add("get", "get", direction::d2h, downloads());
    add("round_trip", "(2 * to_gpu(a)).get()", direction::both, round_trips());
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
