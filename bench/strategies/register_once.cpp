#include <memory>
#include <optional>

#include "bench/strategy/directions.hpp"
#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {
namespace {

/// Ordinary memory that is page-locked for this copy only.
transfer prepare(const job& wanted, transfers::host_memory_kind kind) {
  const auto way = direction_of(wanted.variant);
  const auto both = ends_of(wanted, kind, way);
  const auto& on_host = both.source.on_device ? both.destination : both.source;
  const auto lock = std::make_shared<std::optional<transfers::page_lock>>();
  transfer copy;
  copy.source = both.source;
  copy.destination = both.destination;
  auto& device = wanted.device;
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

strategy register_once(const std::string& name, transfers::host_memory_kind kind) {
  return {.name = name,
          .summary = "cudaHostRegister, cudaMemcpy, cudaHostUnregister, " + describe(kind),
          .variants = {"h2d", "d2h"},
          .host = kind,
          .prepare = [kind](const job& wanted) { return prepare(wanted, kind); },
          .cold = false,
          .why_unsupported =
              [](const transfers::device& device) {
                return device.why_unsupported(transfers::registered);
              }};
}

const registration base{register_once("copy/register_once", transfers::pageable)};
const registration huge{register_once("copy/register_once_huge", transfers::pageable_huge)};

}  // namespace
}  // namespace bench_transfers::bench
