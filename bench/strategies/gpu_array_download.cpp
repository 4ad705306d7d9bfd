#include "bench/strategies/array_operations.hpp"
#include "bench/strategy/heap.hpp"
#include "bench/verification/pattern.hpp"

namespace bench_transfers::bench::gpu_array_download_strategies {
namespace {

using transfers::context;
using transfers::gpu_array;
using transfers::host_array;
using transfers::host_memory_kind;

template <class T>
std::shared_ptr<gpu_array<T>> array_with_pattern(const job& task, std::size_t elements,
                                                 const context& context) {
  auto array = std::make_shared<gpu_array<T>>(context, transfers::shape{elements});
  write_pattern(task.device, own_payload(*array), task.memory.pattern());
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

const struct array_downloads {
  array_downloads() {
    add_array_operations("get", "get", result_file::direction::d2h, downloads());
  }
} registered;

}  // namespace
}  // namespace bench_transfers::bench::gpu_array_download_strategies
