#include "bench/strategy/elements.hpp"
#include "bench/strategy/heap.hpp"
#include "bench/strategy/strategy.hpp"
#include "transfers/array/arithmetic.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::allocation;
using transfers::arithmetic;
using transfers::context;
using transfers::gpu_array;
using transfers::host_array;
using transfers::host_memory_kind;

constexpr std::size_t most = std::size_t{256} << 20;

/// How the copies of pageable memory are made: by cudaMemcpy, or by the run's calibrated copier,
/// where an array by itself takes one with the usual settings.
enum class route { plain, staged };

context context_for(const job& task, route by = route::plain,
                    allocation from = allocation::pooled) {
  context in(task.device, task.stream, from);
  in.stage_by(by == route::staged ? task.memory.staged_copier() : nullptr);
  return in;
}

// --- Upload --------------------------------------------------------------------------------------

/// The array of the last operation stays until the next one, so that it can be verified: that is
/// why "free" comes first.
template <class T>
transfer upload_to_new(const job& task, host_memory_kind kind, allocation from) {
  struct state {
    context in;
    std::optional<gpu_array<T>> array;
  };
  const auto source = host_payload(task, kind);
  const auto elements = elements_of<const T>(source);
  const auto now = std::make_shared<state>(state{context_for(task, route::plain, from), {}});
  now->array.emplace(now->in, transfers::shape{elements.size()});
  transfer upload;
  upload.source = source;
  upload.amount.bytes = elements.size_bytes();
  upload.locate = [now] {
    return own_payload(std::span(now->array->data(), now->array->size()), true);
  };
  upload.steps = {
      {"free", [now] { now->array.reset(); }},
      {"allocate",
       [now, n = elements.size()] { now->array.emplace(now->in, transfers::shape{n}); }},
      {"upload", [now, elements] { now->array->set(elements); }}};
  return upload;
}

/// As one writes it, in one call.
template <class T>
transfer upload_as_written(const job& task, host_memory_kind kind, route by) {
  const auto source = host_payload(task, kind);
  const auto elements = elements_of<const T>(source);
  const auto in = context_for(task, by);
  const auto array = std::make_shared<std::optional<gpu_array<T>>>(to_gpu(in, elements));
  transfer upload;
  upload.source = source;
  upload.amount.bytes = elements.size_bytes();
  upload.locate = [array] {
    return own_payload(std::span((*array)->data(), (*array)->size()), true);
  };
  upload.steps = {{"free", [array] { array->reset(); }},
                  {"to_gpu", [array, in, elements] { array->emplace(to_gpu(in, elements)); }}};
  return upload;
}

template <class T>
transfer upload_to_reused(const job& task, host_memory_kind kind) {
  const auto source = host_payload(task, kind);
  const auto elements = elements_of<const T>(source);
  const auto array =
      std::make_shared<gpu_array<T>>(context_for(task), transfers::shape{elements.size()});
  transfer upload;
  upload.source = source;
  upload.amount.bytes = elements.size_bytes();
  upload.destination = own_payload(std::span(array->data(), array->size()), true);
  upload.steps = {{"upload", [array, elements] { array->set(elements); }}};
  return upload;
}

/// Does page-locking pay for one transfer? The source as it is, locked for the upload only…
transfer upload_locked_once(const job& task, host_memory_kind kind) {
  struct state {
    transfers::device& device;
    std::span<std::byte> memory;
    gpu_array<float> array;
    std::optional<transfers::page_lock> lock;
  };
  const auto source = host_payload(task, kind);
  const auto elements = elements_of<float>(source);
  const auto now =
      std::make_shared<state>(state{task.device,
                                    std::as_writable_bytes(elements),
                                    {context_for(task), transfers::shape{elements.size()}},
                                    {}});
  transfer upload;
  upload.source = source;
  upload.amount.bytes = elements.size_bytes();
  upload.destination = own_payload(std::span(now->array.data(), now->array.size()), true);
  upload.steps = {{"lock", [now] { now->lock.emplace(now->device.lock(now->memory)); }},
                  {"upload", [now, elements] { now->array.set(elements); }},
                  {"unlock", [now] { now->lock.reset(); }}};
  return upload;
}

/// …or copied into new page-locked memory.
transfer upload_pinned_once(const job& task, host_memory_kind kind) {
  struct state {
    transfers::device& device;
    gpu_array<float> array;
    std::optional<host_array<float>> pinned;
  };
  const auto source = host_payload(task, kind);
  const auto elements = elements_of<const float>(source);
  const auto now = std::make_shared<state>(
      state{task.device, {context_for(task), transfers::shape{elements.size()}}, {}});
  transfer upload;
  upload.source = source;
  upload.amount.bytes = elements.size_bytes();
  upload.destination = own_payload(std::span(now->array.data(), now->array.size()), true);
  upload.steps = {
      {"allocate",
       [now] {
         now->pinned.emplace(transfers::pinned_empty<float>(now->device, now->array.shape()));
       }},
      {"fill", [now, elements] { std::ranges::copy(elements, now->pinned->begin()); }},
      {"upload", [now] { now->array.set(*now->pinned); }},
      {"free", [now] { now->pinned.reset(); }}};
  return upload;
}

// --- Download ------------------------------------------------------------------------------------

template <class T>
std::shared_ptr<gpu_array<T>> array_with_pattern(const job& task, std::size_t elements,
                                                 const context& in) {
  auto array = std::make_shared<gpu_array<T>>(in, transfers::shape{elements});
  task.device.write_pattern(reinterpret_cast<std::byte*>(array->data()), 0, array->bytes(),
                            task.memory.pattern());
  return array;
}

template <class T>
transfer download_to_touched(const job& task, host_memory_kind kind, route by) {
  auto destination = host_payload(task, kind);
  const auto elements = elements_of<T>(destination);
  destination.bytes = elements.size_bytes();
  const auto array = array_with_pattern<T>(task, elements.size(), context_for(task, by));
  transfer download;
  download.destination = destination;
  download.amount.bytes = elements.size_bytes();
  download.steps = {{"download", [array, elements] { array->get(elements); }}};
  return download;
}

/// New memory of a kind. Pageable: what get() without an argument does, in steps, with memory from
/// the C++ library, untouched.
template <class T>
transfer download_to_fresh(const job& task, host_memory_kind kind, route by) {
  take_large_blocks_from_the_system();
  const auto make = [kind, &device = task.device](const transfers::shape& of) {
    return kind == transfers::pageable ? host_array<T>(of) : transfers::pinned_empty<T>(device, of);
  };
  const auto array = array_with_pattern<T>(task, task.bytes / sizeof(T), context_for(task, by));
  const auto fresh = std::make_shared<std::optional<host_array<T>>>(make(array->shape()));
  transfer download;
  download.amount.bytes = array->bytes();
  download.locate = [fresh] {
    return own_payload(std::span((*fresh)->data(), (*fresh)->size()), false);
  };
  download.steps = {{"free", [fresh] { fresh->reset(); }},
                    {"allocate", [fresh, array, make] { fresh->emplace(make(array->shape())); }},
                    {"download", [fresh, array] { array->get(**fresh); }}};
  return download;
}

// --- There and back: (2 * to_gpu(a)).get() -------------------------------------------------------

/// What all of these have in common: source, destination and what must come back.
template <class T>
struct round_trip_ends {
  transfer frame;
  std::span<const T> from;
  std::span<T> to;

  round_trip_ends(const job& task, host_memory_kind kind) {
    auto source = host_payload(task, kind, 0);
    auto destination = host_payload(task, kind, 1);
    from = elements_of<const T>(source);
    to = elements_of<T>(destination);
    frame.source = source;
    frame.destination = destination;
    frame.check.compare = [from = from, to = to] {
      return find_wrong_element<T>(to, [from](std::size_t i) { return T{2} * from[i]; });
    };
  }
};

/// Each step ends when its work has ended, so that each has a time of its own.
template <class T>
transfer round_trip_in_steps(const job& task, host_memory_kind kind, allocation from,
                             bool reuses_arrays) {
  struct state {
    context in;
    std::optional<gpu_array<T>> a, b;
    void allocate(std::size_t n) {
      a.emplace(in, transfers::shape{n});
      b.emplace(in, transfers::shape{n});
    }
  };
  round_trip_ends<T> ends(task, kind);
  const auto now = std::make_shared<state>(state{context_for(task, route::plain, from), {}, {}});
  const step allocate{"allocate", [now, n = ends.from.size()] { now->allocate(n); }};
  const step upload{"upload", [now, from = ends.from] { now->a->set(from); }};
  const step compute{"compute", [now] {
                       transfers::calculate(arithmetic::multiply, 2, *now->a, *now->b);
                       now->in.synchronize();
                     }};
  const step download{"download", [now, to = ends.to] { now->b->get(to); }};
  const step free{"free", [now] {
                    now->a.reset();
                    now->b.reset();
                  }};
  if (reuses_arrays) {
    allocate.run();
    ends.frame.steps = {upload, compute, download};
  } else {
    ends.frame.steps = {allocate, upload, compute, download, free};
  }
  return ends.frame;
}

/// As one writes it, with nothing waited for in between.
template <class T>
transfer round_trip_as_written(const job& task, host_memory_kind kind, route by) {
  round_trip_ends<T> ends(task, kind);
  const auto in = context_for(task, by);
  ends.frame.steps = {
      {"round_trip", [in, from = ends.from, to = ends.to] { (2 * to_gpu(in, from)).get(to); }}};
  return ends.frame;
}

template <class T>
transfer round_trip_to_fresh(const job& task, host_memory_kind kind, route by) {
  take_large_blocks_from_the_system();
  round_trip_ends<T> ends(task, kind);
  const auto in = context_for(task, by);
  const auto result = std::make_shared<std::optional<host_array<T>>>();
  ends.frame.locate = [result] {
    if (!*result) return payload{};
    return own_payload(std::span((*result)->data(), (*result)->size()), false);
  };
  ends.frame.destination.reset();
  ends.frame.check.compare = [result, from = ends.from] {
    return find_wrong_element<T>({(*result)->data(), (*result)->size()},
                                 [from](std::size_t i) { return T{2} * from[i]; });
  };
  ends.frame.steps = {
      {"free", [result] { result->reset(); }},
      {"round_trip", [in, from = ends.from, result] { *result = (2 * to_gpu(in, from)).get(); }}};
  return ends.frame;
}

// --- Strategies ----------------------------------------------------------------------------------

/// Prepares an operation with the element type that the job's variant names.
template <class Prepare>
auto of_named_type(Prepare prepare) {
  return [prepare](const job& task, host_memory_kind kind) {
    return with_element(task.variant,
                        [&]<class T>(T) { return prepare.template operator()<T>(task, kind); });
  };
}

/// An operation on arrays in one setting.
struct array_operation {
  std::string setting;
  unsigned plainness;
  std::string summary;
  std::vector<host_memory_kind> kinds;
  std::function<transfer(const job&, host_memory_kind)> prepare;
  bool every_type = false;  ///< of pinned memory: to a copy all types are bytes, one kind shows it
};

const std::vector<host_memory_kind> both_kinds{transfers::pageable, transfers::pinned()};
const std::vector<host_memory_kind> pageable_alone{transfers::pageable};

std::vector<array_operation> uploads() {
  return {{"allocated", 2, "new array from cudaMalloc each time", both_kinds,
           of_named_type([]<class T>(const job& task, host_memory_kind kind) {
             return upload_to_new<T>(task, kind, allocation::plain);
           })},
          {"pooled", 1, "new array from a pool each time", both_kinds,
           of_named_type([]<class T>(const job& task, host_memory_kind kind) {
             return upload_to_new<T>(task, kind, allocation::pooled);
           }),
           true},
          {"reused", 0, "into the same array", both_kinds,
           of_named_type([]<class T>(const job& task, host_memory_kind kind) {
             return upload_to_reused<T>(task, kind);
           })},
          {"expression", 3, "in one call, new array from a pool", both_kinds,
           of_named_type([]<class T>(const job& task, host_memory_kind kind) {
             return upload_as_written<T>(task, kind, route::plain);
           })},
          {"locked_once", 4, "source page-locked for this upload only", pageable_alone,
           upload_locked_once},
          {"pinned_once", 5, "through new page-locked memory for this upload only", pageable_alone,
           upload_pinned_once},
          {"staged", 2, "in one call, staged", pageable_alone,
           of_named_type([]<class T>(const job& task, host_memory_kind kind) {
             return upload_as_written<T>(task, kind, route::staged);
           })}};
}

std::vector<array_operation> downloads() {
  const auto touched = [](route by) {
    return of_named_type([by]<class T>(const job& task, host_memory_kind kind) {
      return download_to_touched<T>(task, kind, by);
    });
  };
  const auto fresh = [](route by) {
    return of_named_type([by]<class T>(const job& task, host_memory_kind kind) {
      return download_to_fresh<T>(task, kind, by);
    });
  };
  return {{"fresh", 1, "into new memory each time", both_kinds, fresh(route::plain)},
          {"touched", 0, "into memory used before", both_kinds, touched(route::plain), true},
          {"staged", 2, "staged, into memory used before", pageable_alone, touched(route::staged)},
          {"staged_fresh", 3, "staged, into new memory", pageable_alone, fresh(route::staged)}};
}

std::vector<array_operation> round_trips() {
  const auto in_steps = [](allocation from, bool reuses_arrays) {
    return [=](const job& task, host_memory_kind kind) {
      return round_trip_in_steps<float>(task, kind, from, reuses_arrays);
    };
  };
  const auto as_written = [](route by) {
    return [by](const job& task, host_memory_kind kind) {
      return round_trip_as_written<float>(task, kind, by);
    };
  };
  const auto to_fresh = [](route by) {
    return [by](const job& task, host_memory_kind kind) {
      return round_trip_to_fresh<float>(task, kind, by);
    };
  };
  return {
      {"allocated", 2, "in steps, arrays from cudaMalloc", both_kinds,
       in_steps(allocation::plain, false)},
      {"pooled", 1, "in steps, arrays from a pool", both_kinds,
       in_steps(allocation::pooled, false)},
      {"reused", 0, "in steps, into the same arrays", both_kinds,
       in_steps(allocation::pooled, true)},
      {"expression", 3, "in one expression, into memory used before", both_kinds,
       as_written(route::plain)},
      {"fresh", 1, "in one expression, into new memory", pageable_alone, to_fresh(route::plain)},
      {"staged", 2, "in one expression, staged, into memory used before", pageable_alone,
       as_written(route::staged)},
      {"staged_fresh", 3, "in one expression, staged, into new memory", pageable_alone,
       to_fresh(route::staged)}};
}

/// gpu_array/<method>/<memory>/<setting>, a variant for each element type.
strategy strategy_for(const std::string& name, const std::string& called,
                      result_file::direction direction, const array_operation& operation,
                      host_memory_kind kind) {
  const bool every_type = operation.every_type && kind != transfers::pageable;
  const std::vector<std::string> types =
      every_type ? std::vector<std::string>{"float32", "float64", "int32", "char", "record7"}
                 : std::vector<std::string>{"float32"};
  return {
      .family = "gpu_array",
      .parts = {method(name), in_memory(kind), setting(operation.setting)},
      .summary = called + ", " + operation.summary,
      .variants = named(types),
      .role = roles::array,
      .direction = direction,
      .plainness = operation.plainness,
      .prepare = [kind,
                  prepare = operation.prepare](const job& task) { return prepare(task, kind); },
      .needs = {.host = kind, .host_payloads = direction == result_file::direction::both ? 2U : 1U},
      .sampling = {
          .smallest = every_type ? sizeof(double) : sizeof(float), .largest = most, .cold = false}};
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
