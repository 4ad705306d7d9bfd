#include "bench/strategy/elements.hpp"
#include "bench/strategy/heap.hpp"
#include "transfers/array/arithmetic.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::allocation;
using transfers::arithmetic;
using transfers::context;
using transfers::gpu_array;
using transfers::host_array;
using transfers::host_memory_kind;

const std::vector<std::string> all_types{"float32", "float64", "int32", "char", "record7"};
const std::vector<std::string> numbers{"float32"};
/// To a copy all types are bytes: one kind of memory shows it.
const std::vector<std::string>& types_with(host_memory_kind kind) {
  return kind == transfers::pageable ? numbers : all_types;
}
constexpr std::size_t most = std::size_t{256} << 20;

/// gpu_array/<operation>/<memory>/<way>, a variant for each element type.
strategy of_arrays(const std::string& operation, host_memory_kind kind, const std::string& way,
                   const std::string& summary, const std::vector<std::string>& types,
                   std::function<transfer(const job&)> prepare) {
  return {.name = "gpu_array/" + operation + "/" + to_string(kind) + "/" + way,
          .summary = summary,
          .variants = types,
          .host = kind,
          .prepare = std::move(prepare),
          .smallest = types == numbers ? sizeof(float) : sizeof(double),
          .largest = most,
          .cold = false};
}

/// The plain ways copy pageable memory by cudaMemcpy; "staged" by the run's calibrated copier,
/// where an array by itself takes one with the usual settings.
context plain_context(const job& wanted, allocation from = allocation::pooled) {
  context in(wanted.device, wanted.stream, from);
  in.stage_by(nullptr);
  return in;
}
context staged_context(const job& wanted) {
  context in(wanted.device, wanted.stream);
  in.stage_by(wanted.memory.staged_copier());
  return in;
}
context context_for(const job& wanted, const std::string& way) {
  return way.starts_with("staged") ? staged_context(wanted) : plain_context(wanted);
}

// --- Upload --------------------------------------------------------------------------------------

/// The array of the last operation stays until the next one, so that it can be verified: that is
/// why "free" comes first.
template <class T>
transfer upload_to_new(const job& wanted, host_memory_kind kind, allocation from) {
  struct state {
    context in;
    std::optional<gpu_array<T>> array;
  };
  const auto source = host_payload(wanted, kind);
  const auto elements = elements_of<const T>(source);
  const auto now = std::make_shared<state>(state{plain_context(wanted, from), {}});
  now->array.emplace(now->in, transfers::shape{elements.size()});
  transfer upload;
  upload.source = source;
  upload.bytes = elements.size_bytes();
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
transfer upload_as_written(const job& wanted, host_memory_kind kind, const std::string& way) {
  const auto source = host_payload(wanted, kind);
  const auto elements = elements_of<const T>(source);
  const auto in = context_for(wanted, way);
  const auto array = std::make_shared<std::optional<gpu_array<T>>>(to_gpu(in, elements));
  transfer upload;
  upload.source = source;
  upload.bytes = elements.size_bytes();
  upload.locate = [array] {
    return own_payload(std::span((*array)->data(), (*array)->size()), true);
  };
  upload.steps = {{"free", [array] { array->reset(); }},
                  {"to_gpu", [array, in, elements] { array->emplace(to_gpu(in, elements)); }}};
  return upload;
}

template <class T>
transfer upload_to_reused(const job& wanted, host_memory_kind kind) {
  const auto source = host_payload(wanted, kind);
  const auto elements = elements_of<const T>(source);
  const auto array =
      std::make_shared<gpu_array<T>>(plain_context(wanted), transfers::shape{elements.size()});
  transfer upload;
  upload.source = source;
  upload.bytes = elements.size_bytes();
  upload.destination = own_payload(std::span(array->data(), array->size()), true);
  upload.steps = {{"upload", [array, elements] { array->set(elements); }}};
  return upload;
}

/// Does page-locking pay for one transfer? The source as it is, locked for the upload only…
transfer upload_locked_once(const job& wanted, host_memory_kind kind) {
  struct state {
    transfers::device& device;
    std::span<std::byte> memory;
    gpu_array<float> array;
    std::optional<transfers::page_lock> lock;
  };
  const auto source = host_payload(wanted, kind);
  const auto elements = elements_of<float>(source);
  const auto now =
      std::make_shared<state>(state{wanted.device,
                                    std::as_writable_bytes(elements),
                                    {plain_context(wanted), transfers::shape{elements.size()}},
                                    {}});
  transfer upload;
  upload.source = source;
  upload.bytes = elements.size_bytes();
  upload.destination = own_payload(std::span(now->array.data(), now->array.size()), true);
  upload.steps = {{"lock", [now] { now->lock.emplace(now->device.lock(now->memory)); }},
                  {"upload", [now, elements] { now->array.set(elements); }},
                  {"unlock", [now] { now->lock.reset(); }}};
  return upload;
}

/// …or copied into new page-locked memory.
transfer upload_pinned_once(const job& wanted, host_memory_kind kind) {
  struct state {
    transfers::device& device;
    gpu_array<float> array;
    std::optional<host_array<float>> pinned;
  };
  const auto source = host_payload(wanted, kind);
  const auto elements = elements_of<const float>(source);
  const auto now = std::make_shared<state>(
      state{wanted.device, {plain_context(wanted), transfers::shape{elements.size()}}, {}});
  transfer upload;
  upload.source = source;
  upload.bytes = elements.size_bytes();
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

strategy uploading(host_memory_kind kind, const std::string& way, const std::string& summary,
                   std::vector<std::string> types) {
  return of_arrays("to_gpu", kind, way, "to_gpu, " + summary, std::move(types),
                   [kind, way](const job& wanted) {
                     return with_element(wanted.variant, [&]<class T>(T) {
                       if (way == "expression" || way == "staged")
                         return upload_as_written<T>(wanted, kind, way);
                       if (way == "reused") return upload_to_reused<T>(wanted, kind);
                       if (way == "locked_once") return upload_locked_once(wanted, kind);
                       if (way == "pinned_once") return upload_pinned_once(wanted, kind);
                       return upload_to_new<T>(
                           wanted, kind, way == "pooled" ? allocation::pooled : allocation::plain);
                     });
                   });
}

// --- Download ------------------------------------------------------------------------------------

template <class T>
std::shared_ptr<gpu_array<T>> array_with_pattern(const job& wanted, std::size_t elements,
                                                 const context& in) {
  auto array = std::make_shared<gpu_array<T>>(in, transfers::shape{elements});
  wanted.device.write_pattern(reinterpret_cast<std::byte*>(array->data()), 0, array->bytes(),
                              wanted.memory.pattern());
  return array;
}

template <class T>
transfer download_to_touched(const job& wanted, host_memory_kind kind, const std::string& way) {
  auto destination = host_payload(wanted, kind);
  const auto elements = elements_of<T>(destination);
  destination.bytes = elements.size_bytes();
  const auto array = array_with_pattern<T>(wanted, elements.size(), context_for(wanted, way));
  transfer download;
  download.destination = destination;
  download.bytes = elements.size_bytes();
  download.steps = {{"download", [array, elements] { array->get(elements); }}};
  return download;
}

/// New memory of a kind. Pageable: what get() without an argument does, in steps, with memory from
/// the C++ library, untouched.
template <class T>
transfer download_to_fresh(const job& wanted, host_memory_kind kind, const std::string& way) {
  take_large_blocks_from_the_system();
  const auto make = [kind, &device = wanted.device](const transfers::shape& of) {
    return kind == transfers::pageable ? host_array<T>(of) : transfers::pinned_empty<T>(device, of);
  };
  const auto array =
      array_with_pattern<T>(wanted, wanted.bytes / sizeof(T), context_for(wanted, way));
  const auto fresh = std::make_shared<std::optional<host_array<T>>>(make(array->shape()));
  transfer download;
  download.bytes = array->bytes();
  download.locate = [fresh] {
    return own_payload(std::span((*fresh)->data(), (*fresh)->size()), false);
  };
  download.steps = {{"free", [fresh] { fresh->reset(); }},
                    {"allocate", [fresh, array, make] { fresh->emplace(make(array->shape())); }},
                    {"download", [fresh, array] { array->get(**fresh); }}};
  return download;
}

strategy downloading(host_memory_kind kind, const std::string& way, const std::string& summary) {
  const bool fresh = way.ends_with("fresh");
  return of_arrays("get", kind, way, "get, " + summary, fresh ? numbers : types_with(kind),
                   [kind, way, fresh](const job& wanted) {
                     return with_element(wanted.variant, [&]<class T>(T) {
                       return fresh ? download_to_fresh<T>(wanted, kind, way)
                                    : download_to_touched<T>(wanted, kind, way);
                     });
                   });
}

// --- There and back: (2 * to_gpu(a)).get() -------------------------------------------------------

/// What all of these have in common: source, destination and what must come back.
template <class T>
struct round_trip_ends {
  transfer frame;
  std::span<const T> from;
  std::span<T> to;

  round_trip_ends(const job& wanted, host_memory_kind kind) {
    auto source = host_payload(wanted, kind, 0);
    auto destination = host_payload(wanted, kind, 1);
    from = elements_of<const T>(source);
    to = elements_of<T>(destination);
    frame.source = source;
    frame.destination = destination;
    frame.verify = [from = from, to = to] {
      return find_wrong_element<T>(to, [from](std::size_t i) { return T{2} * from[i]; });
    };
  }
};

/// Each step ends when its work has ended, so that each has a time of its own.
template <class T>
transfer round_trip_in_steps(const job& wanted, host_memory_kind kind, const std::string& way) {
  struct state {
    context in;
    std::optional<gpu_array<T>> a, b;
    void allocate(std::size_t n) {
      a.emplace(in, transfers::shape{n});
      b.emplace(in, transfers::shape{n});
    }
  };
  round_trip_ends<T> ends(wanted, kind);
  const auto from = way == "allocated" ? allocation::plain : allocation::pooled;
  const auto now = std::make_shared<state>(state{plain_context(wanted, from), {}, {}});
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
  if (way == "reused") {
    allocate.run();
    ends.frame.steps = {upload, compute, download};
  } else {
    ends.frame.steps = {allocate, upload, compute, download, free};
  }
  return ends.frame;
}

/// As one writes it, with nothing waited for in between.
template <class T>
transfer round_trip_as_written(const job& wanted, host_memory_kind kind, const std::string& way) {
  round_trip_ends<T> ends(wanted, kind);
  const auto in = context_for(wanted, way);
  ends.frame.steps = {
      {"round_trip", [in, from = ends.from, to = ends.to] { (2 * to_gpu(in, from)).get(to); }}};
  return ends.frame;
}

template <class T>
transfer round_trip_to_fresh(const job& wanted, host_memory_kind kind, const std::string& way) {
  take_large_blocks_from_the_system();
  round_trip_ends<T> ends(wanted, kind);
  const auto in = context_for(wanted, way);
  const auto result = std::make_shared<std::optional<host_array<T>>>();
  ends.frame.locate = [result] {
    if (!*result) return payload{};
    return own_payload(std::span((*result)->data(), (*result)->size()), false);
  };
  ends.frame.destination.reset();
  ends.frame.verify = [result, from = ends.from] {
    return find_wrong_element<T>({(*result)->data(), (*result)->size()},
                                 [from](std::size_t i) { return T{2} * from[i]; });
  };
  ends.frame.steps = {
      {"free", [result] { result->reset(); }},
      {"round_trip", [in, from = ends.from, result] { *result = (2 * to_gpu(in, from)).get(); }}};
  return ends.frame;
}

strategy there_and_back(host_memory_kind kind, const std::string& way, const std::string& summary) {
  auto made = of_arrays("round_trip", kind, way, "(2 * to_gpu(a)).get(), " + summary, numbers,
                        [kind, way](const job& wanted) {
                          if (way == "expression" || way == "staged")
                            return round_trip_as_written<float>(wanted, kind, way);
                          if (way.ends_with("fresh"))
                            return round_trip_to_fresh<float>(wanted, kind, way);
                          return round_trip_in_steps<float>(wanted, kind, way);
                        });
  made.host_payloads = 2;
  made.one_way = false;
  return made;
}

const struct all {
  all() {
    for (const auto kind : {transfers::pageable, transfers::pinned()}) {
      registration{uploading(kind, "allocated", "new array from cudaMalloc each time", numbers)};
      registration{uploading(kind, "pooled", "new array from a pool each time", types_with(kind))};
      registration{uploading(kind, "reused", "into the same array", numbers)};
      registration{uploading(kind, "expression", "in one call, new array from a pool", numbers)};
      registration{downloading(kind, "fresh", "into new memory each time")};
      registration{downloading(kind, "touched", "into memory used before")};
      registration{there_and_back(kind, "allocated", "in steps, arrays from cudaMalloc")};
      registration{there_and_back(kind, "pooled", "in steps, arrays from a pool")};
      registration{there_and_back(kind, "reused", "in steps, into the same arrays")};
      registration{
          there_and_back(kind, "expression", "in one expression, into memory used before")};
    }
    registration{uploading(transfers::pageable, "locked_once",
                           "source page-locked for this upload only", numbers)};
    registration{uploading(transfers::pageable, "pinned_once",
                           "through new page-locked memory for this upload only", numbers)};
    registration{
        there_and_back(transfers::pageable, "fresh", "in one expression, into new memory")};
    registration{uploading(transfers::pageable, "staged", "in one call, staged", numbers)};
    registration{downloading(transfers::pageable, "staged", "staged, into memory used before")};
    registration{downloading(transfers::pageable, "staged_fresh", "staged, into new memory")};
    registration{there_and_back(transfers::pageable, "staged",
                                "in one expression, staged, into memory used before")};
    registration{there_and_back(transfers::pageable, "staged_fresh",
                                "in one expression, staged, into new memory")};
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench
