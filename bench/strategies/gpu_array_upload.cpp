#include "bench/strategies/array_operations.hpp"

namespace bench_transfers::bench::gpu_array_upload_strategies {
namespace {

using transfers::allocation;
using transfers::gpu_array;
using transfers::host_array;
using transfers::host_memory_kind;

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
           .kinds = pageable_alone,
           .page_locks = true},
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

const struct array_uploads {
  array_uploads() {
    add_array_operations("to_gpu", "to_gpu", result_file::direction::h2d, uploads());
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::gpu_array_upload_strategies
