#include <memory>
#include <optional>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench::register_once_strategies {
namespace {

/// Copies pageable memory that is page-locked for this copy only.
transfer prepare(const job& task, transfers::host_memory_kind kind) {
  const auto direction = task.direction;
  const auto ends = ends_of(task, kind, direction);
  const auto& on_host = ends.source.on_device ? ends.destination : ends.source;
  const auto lock = std::make_shared<std::optional<transfers::page_lock>>();
  auto copy = transfer_between(ends);
  auto& device = task.device;
  copy.steps = {{"lock",
                 [lock, &device, memory = std::span(on_host.data, on_host.bytes)] {
                   lock->emplace(device.lock(memory));
                 }},
                {"copy", [&device, ends, direction] { copy_now(device, ends, direction, true); }},
                {"unlock", [lock] { lock->reset(); }}};
  return copy;
}

strategy register_once(const std::string& name, transfers::host_memory_kind kind,
                       unsigned plainness) {
  return {.family = "copy",
          .parts = {method(name)},
          .summary = "cudaHostRegister, cudaMemcpy, cudaHostUnregister, " + describe(kind),
          .calls = calls_for(kind) +
                   "cudaHostRegister(host, bytes, cudaHostRegisterDefault);\n"
                   "cudaMemcpy($[device|host], $[host|device], bytes, cudaMemcpyDefault);\n"
                   "cudaHostUnregister(host);",
          .holds_launches = true,
          .page_locks = true,
          .variants = both_directions(),
          .role = roles::copy,
          .plainness = plainness,
          .procedure = 2,
          .prepare = [kind](const job& task) { return prepare(task, kind); },
          .needs = {.host = kind, .page_locks = true},
          .sampling = {.cold = false}};
}

const registration base{register_once("register_once", transfers::pageable, 2)};
const registration huge{register_once("register_once_huge", transfers::pageable_huge, 3)};

}  // namespace
}  // namespace bench_transfers::bench::register_once_strategies
