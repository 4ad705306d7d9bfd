#include <memory>
#include <optional>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

/// Ordinary memory that is page-locked for this copy only.
transfer prepare(const job& task, transfers::host_memory_kind kind) {
  const auto way = task.direction;
  const auto both = ends_of(task, kind, way);
  const auto& on_host = both.source.on_device ? both.destination : both.source;
  const auto lock = std::make_shared<std::optional<transfers::page_lock>>();
  transfer copy;
  copy.source = both.source;
  copy.destination = both.destination;
  auto& device = task.device;
  copy.steps = {{"lock",
                 [lock, &device, memory = std::span(on_host.data, on_host.bytes)] {
                   lock->emplace(device.lock(memory));
                 }},
                {"copy",
                 [&device, both, way] {
                   device.copy(both.destination.data, both.source.data, both.source.bytes, way);
                 }},
                {"unlock", [lock] { lock->reset(); }}};
  return copy;
}

strategy register_once(const std::string& name, transfers::host_memory_kind kind,
                       unsigned plainness) {
  return {.family = "copy",
          .parts = {method(name)},
          .summary = "cudaHostRegister, cudaMemcpy, cudaHostUnregister, " + describe(kind),
          .variants = both_directions(),
          .role = roles::copy,
          .plainness = plainness,
          .prepare = [kind](const job& task) { return prepare(task, kind); },
          .needs = {.host = kind,
                    .why_unsupported =
                        [](const transfers::device& device) {
                          return device.why_unsupported(transfers::registered);
                        }},
          .sampling = {.cold = false}};
}

const registration base{register_once("register_once", transfers::pageable, 2)};
const registration huge{register_once("register_once_huge", transfers::pageable_huge, 3)};

}  // namespace
}  // namespace bench_transfers::bench
