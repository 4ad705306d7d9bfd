#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/plan.hpp"
#include "tests/unit/bench/fake_clock.hpp"
#include "tests/unit/bench/test_strategy.hpp"
#include "tests/unit/transfers/forwarding_device.hpp"
#include "transfers/core/error.hpp"

// Strategies, a device and settings to plan with, and what plans say.

namespace bench_transfers::bench::made_up_plans {

/// A host device that refuses memory above a limit, and some kinds of memory.
class limited_device final : public transfers::forwarding_device {
 public:
  std::size_t host_limit = SIZE_MAX;
  std::size_t device_limit = SIZE_MAX;
  std::map<transfers::host_memory_kind, std::string> refused_kinds;
  std::vector<std::size_t> asked_for;
  std::function<void(transfers::host_memory_kind)> on_host_allocation;
  std::chrono::nanoseconds time_of_mib{};  ///< of the fake clock

  [[nodiscard]] std::optional<std::string> why_unsupported(
      transfers::host_memory_kind kind) const override {
    const auto refusal = refused_kinds.find(kind);
    return refusal == refused_kinds.end() ? std::nullopt : std::optional(refusal->second);
  }
  [[nodiscard]] transfers::host_memory allocate_host(std::size_t bytes,
                                                     transfers::host_memory_kind kind) override {
    ask_for(bytes);
    if (on_host_allocation) on_host_allocation(kind);
    if (bytes > host_limit) throw transfers::out_of_memory("host is full");
    return forwarding_device::allocate_host(bytes, kind);
  }
  [[nodiscard]] transfers::device_memory allocate(std::size_t bytes) override {
    ask_for(bytes);
    if (bytes > device_limit) throw transfers::out_of_memory("device is full");
    return forwarding_device::allocate(bytes);
  }

 private:
  void ask_for(std::size_t bytes) {
    asked_for.push_back(bytes);
    if (time_of_mib.count() > 0)
      fake_clock::advance(time_of_mib * static_cast<std::int64_t>(bytes) / (1 << 20));
  }
};

inline strategy make_strategy(const std::string& name,
                              std::optional<transfers::host_memory_kind> host,
                              const std::vector<std::string>& variants = {"h2d", "d2h"},
                              bool sized = true) {
  return test_strategy(name, {.sized = sized}, {.host = host}, named(variants));
}

inline const registry some{make_strategy("copy/pageable", transfers::pageable),
                           make_strategy("copy/pinned", transfers::pinned()),
                           make_strategy("copy_async/pinned", transfers::pinned()),
                           make_strategy("null", std::nullopt, {"single"}, false)};

inline settings sizes(std::vector<std::size_t> warm, std::vector<std::size_t> cold = {}) {
  settings chosen;
  chosen.sizes = std::move(warm);
  chosen.cold_sizes = std::move(cold);
  return chosen;
}

inline std::vector<std::string> reasons(const plan& planned) {
  std::vector<std::string> all;
  for (const auto& skipped : planned.skipped) all.push_back(skipped.reason.text);
  return all;
}

}  // namespace bench_transfers::bench::made_up_plans
