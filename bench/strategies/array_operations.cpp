#include "bench/strategies/array_operations.hpp"

namespace bench_transfers::bench {
namespace {

constexpr std::size_t largest_size = std::size_t{256} << 20;

/// gpu_array/<method>/<memory>/<setting>, a variant for each element type.
strategy strategy_for(const std::string& name, const std::string& called,
                      result_file::direction direction, const array_operation& operation,
                      transfers::host_memory_kind kind) {
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
                    .staged_copier = operation.stages,
                    .page_locks = operation.page_locks},
          .sampling = {.smallest = every_type ? largest_element : sizeof(float),
                       .largest = largest_size,
                       .cold = false}};
}

}  // namespace

transfers::context context_for(const job& task, route route, transfers::allocation allocation) {
  transfers::context result(task.device, task.stream, allocation);
  result.stage_by(route == route::staged ? task.memory.staged_copier() : nullptr);
  return result;
}

void add_array_operations(const std::string& name, const std::string& called,
                          result_file::direction direction,
                          const std::vector<array_operation>& operations) {
  for (const auto& operation : operations)
    for (const auto kind : operation.kinds)
      registration{strategy_for(name, called, direction, operation, kind)};
}

}  // namespace bench_transfers::bench
