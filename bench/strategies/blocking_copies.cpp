#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/strategies/blocking_call.hpp"
#include "bench/strategies/bulk_copy.hpp"
#include "bench/verification/pattern.hpp"
#include "src/common/quantities.hpp"
#include "src/transfers/core/units.hpp"

namespace bench_transfers::bench {
namespace {

using transfers::direction;

using transfers::detail::kib;
using transfers::detail::mib;

/// A copy between memory of its own.
class own_copy {
 public:
  own_copy(const job& task, const bulk_method& method, std::size_t bytes, direction direction)
      : device_(task.device),
        poison_(task.memory.pattern(true)),
        host_(task.device.allocate_host(bytes, method.memory)),
        on_device_(task.device.allocate(bytes)),
        copy_(task, ends_between(own_payload(host_), own_payload(on_device_), direction), direction,
              method) {
    write_pattern(device_, copy_.source(), task.memory.pattern());
    poison();
  }

  void run() { copy_.run(); }
  /// Of the copies since the last call.
  [[nodiscard]] std::optional<std::string> find_damage() {
    auto damage = copy_.find_damage();
    poison();
    return damage;
  }

 private:
  void poison() {
    write_pattern(device_, copy_.destination(), poison_);
    device_.synchronize();
  }

  transfers::device& device_;
  pattern poison_;
  transfers::host_memory host_;
  transfers::device_memory on_device_;
  bulk_copy copy_;
};

repeated_call prepare_copy(const job& task, const bulk_method& method, std::size_t bytes,
                           direction direction) {
  const auto copy = std::make_shared<own_copy>(task, method, bytes, direction);
  return {[copy] { copy->run(); }, [copy] { return copy->find_damage(); }, bytes};
}

blocking_call copy_call(const bulk_method& method, std::size_t bytes, direction direction) {
  return {.name = method.name,
          .summary = method.summary,
          .prepare = [=](const job& task) { return prepare_copy(task, method, bytes, direction); },
          .size = common::format_size(bytes) + (direction == direction::h2d ? "_h2d" : "_d2h"),
          .host_bytes = bytes,
          .staged_copier = method.mover == bulk_mover::staged};
}

}  // namespace

std::vector<blocking_call> blocking_copies() {
  const bulk_method memcpy_pageable{.name = "memcpy_pageable",
                                    .summary = "cudaMemcpy of pageable memory",
                                    .mover = bulk_mover::memcpy,
                                    .memory = transfers::pageable};
  const std::vector<bulk_method> methods{
      memcpy_pageable,
      {.name = "memcpy_pinned",
       .summary = "cudaMemcpy of pinned memory",
       .mover = bulk_mover::memcpy,
       .memory = transfers::pinned()},
      {.name = "memcpy_async_pageable",
       .summary = "cudaMemcpyAsync of pageable memory and a wait",
       .memory = transfers::pageable},
      {.name = "memcpy_async_pinned",
       .summary = "cudaMemcpyAsync of pinned memory and a wait",
       .memory = transfers::pinned()},
      {.name = "device_copy_pageable",
       .summary = "the library's copies of pageable memory that wait",
       .mover = bulk_mover::device_copy,
       .memory = transfers::pageable},
      {.name = "device_copy_pinned",
       .summary = "the library's copies of pinned memory that wait",
       .mover = bulk_mover::device_copy,
       .memory = transfers::pinned()},
      {.name = "staged",
       .summary = "the library's staged copies",
       .mover = bulk_mover::staged,
       .memory = transfers::pageable}};
  std::vector<blocking_call> calls;
  for (const auto& method : methods)
    for (const auto way : {direction::h2d, direction::d2h})
      calls.push_back(copy_call(method, 64 * mib, way));
  for (const auto bytes : {mib, 64 * kib})
    calls.push_back(copy_call(memcpy_pageable, bytes, direction::h2d));
  return calls;
}

}  // namespace bench_transfers::bench
