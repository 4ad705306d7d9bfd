#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/harness/session.hpp"
#include "tests/unit/bench/made_strategy.hpp"

namespace bench_transfers::bench {

inline constexpr std::size_t kib = 1024;

/// A session on the host device with few, small and short benchmarks.
class host_session : public testing::Test {
 protected:
  host_session() {
    chosen.sizes = {4 * kib, 64 * kib};
    chosen.rounds = 2;
    chosen.min_time = std::chrono::microseconds(100);
    chosen.seed = 5;
    chosen.strategies = {"copy/pageable", "copy/pinned", "copy_async", "null",
                         "zero_copy/pinned_mapped"};
  }

  outcome run_session() {
    buffers memory(*device, chosen.seed);
    planned = make_plan(strategies, *device, chosen);
    reserve_buffers(planned, *device, memory);
    EXPECT_THAT(planned.skipped, testing::IsEmpty());
    session all({{*device, memory, link_limit, monitor}}, chosen, rows, shown);
    auto result = all.measure(planned);
    for (const auto& [kind, block] : memory.all_host())
      left_wrong += check_host_pattern(block.data(), 0, block.size(), memory.pattern()).wrong_bytes;
    return result;
  }

  /// A strategy that copies like copy/pageable; `broken` gets the transfer to change it.
  void add_copy(const std::string& name, const std::string& variant,
                std::function<void(transfer&)> broken = {}) {
    auto made = made_strategy(name, {}, {.host = transfers::pageable});
    for (const auto& known : both_directions())
      if (known.name == variant) made.variants = {known};
    made.prepare = [broken](const job& task) {
      const auto both = ends_of(task, transfers::pageable, task.direction);
      transfer copy;
      copy.source = both.source;
      copy.destination = both.destination;
      copy.steps = {{"copy", [&target = task.device, both, direction = task.direction] {
                       target.copy(both.destination.data, both.source.data, both.source.bytes,
                                   direction);
                     }}};
      if (broken) broken(copy);
      return copy;
    };
    strategies.push_back(std::move(made));
    chosen.strategies.push_back(name);
  }

  void only_added_strategies() {
    strategies.clear();
    chosen.strategies.clear();
    chosen.sizes = {4 * kib};
  }

  [[nodiscard]] static std::vector<std::string> names(const std::vector<run>& runs) {
    std::vector<std::string> all;
    for (const auto& one : runs) all.push_back(one.benchmark_name());
    return all;
  }

  [[nodiscard]] static std::map<std::string, std::string> by_name(
      const std::vector<failure>& failures) {
    std::map<std::string, std::string> all;
    for (const auto& [name, reason] : failures)
      EXPECT_TRUE(all.emplace(name, reason.text).second) << name << " failed twice";
    return all;
  }

  [[nodiscard]] std::vector<std::string> planned_names() const {
    std::vector<std::string> all;
    for (const auto& one : planned.cases) all.push_back(one.name);
    return all;
  }

  /// Every planned benchmark ran in every round, but for those that failed.
  void expect_all_others_ran(const outcome& result) const {
    const auto failed = by_name(result.failures);
    const auto ran = names(result.runs);
    for (const auto& name : planned_names())
      EXPECT_EQ(std::ranges::count(ran, name), failed.contains(name) ? 0 : chosen.rounds) << name;
  }

  std::unique_ptr<transfers::device> device = transfers::open_host_device();
  registry strategies = registered_strategies();
  options chosen;
  plan planned;
  std::optional<double> link_limit;
  const machine::gpu_monitor* monitor = nullptr;
  result_file::writer rows{"", {{"transfers", nullptr}}};
  std::size_t left_wrong = 0;  ///< bytes of host buffers not as they were

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> log_{std::tmpfile(), std::fclose};

 protected:
  progress shown{log_.get()};
};

}  // namespace bench_transfers::bench
