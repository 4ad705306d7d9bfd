#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/reserve.hpp"
#include "bench/harness/session.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/fake_clock.hpp"
#include "tests/unit/bench/made_up_surroundings.hpp"
#include "tests/unit/bench/test_strategy.hpp"

namespace bench_transfers::bench {

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
    reserve_buffers(planned, {{*device, memory}});
    EXPECT_THAT(planned.skipped, IsEmpty());
    change_plan(planned);
    bench::session session({{*device, memory, link_limit, monitor}}, chosen, rows, shown, around,
                           others, time_limit(chosen.max_time));
    auto result = session.measure(planned);
    for (const auto& [kind, block] : memory.all_host())
      left_wrong += check_host_pattern(block.data(), 0, block.size(), memory.pattern()).wrong_bytes;
    return result;
  }

  /// Adds a strategy that copies like copy/pageable; `broken` may change its transfer.
  void add_copy(const std::string& name, const std::string& variant,
                std::function<void(transfer&)> broken = {}) {
    auto added = test_strategy(name, {}, {.host = transfers::pageable});
    for (const auto& known : both_directions())
      if (known.name == variant) added.variants = {known};
    added.prepare = [broken](const job& task) {
      const auto ends = ends_of(task, transfers::pageable, task.direction);
      auto copy = transfer_between(ends);
      copy.steps = {{"copy", [&target = task.device, ends, direction = task.direction] {
                       target.copy(ends.destination.data, ends.source.data, ends.source.bytes,
                                   direction);
                     }}};
      if (broken) broken(copy);
      return copy;
    };
    add(std::move(added));
  }

  /// Adds a strategy, each operation of which takes, by the fake clock, what `cost` says when it is
  /// prepared.
  strategy& add_lasting(const std::string& name, std::function<std::chrono::nanoseconds()> cost) {
    auto added = test_strategy(name);
    added.prepare = [cost = std::move(cost)](const job&) {
      transfer operation;
      operation.steps = {{"take", [time = cost()] { fake_clock::advance(time); }}};
      operation.timing.batched = false;
      operation.timing.least_operations = 1;
      return operation;
    };
    return add(std::move(added));
  }

  strategy& add(strategy added) {
    chosen.strategies.push_back(added.name());
    return strategies.emplace_back(std::move(added));
  }

  void only_added_strategies() {
    strategies.clear();
    chosen.strategies.clear();
    chosen.sizes = {4 * kib};
  }

  [[nodiscard]] static std::vector<std::string> names(const std::vector<run>& runs) {
    std::vector<std::string> names;
    for (const auto& repetition : runs) names.push_back(repetition.benchmark_name());
    return names;
  }

  [[nodiscard]] static std::map<std::string, std::string> by_name(
      const std::vector<failure>& failures) {
    std::map<std::string, std::string> reasons;
    for (const auto& [name, reason] : failures)
      EXPECT_TRUE(reasons.emplace(name, reason.text).second) << name << " failed twice";
    return reasons;
  }

  [[nodiscard]] std::vector<std::string> planned_names() const { return names_of(planned.cases); }

  /// Expects that every planned benchmark ran in every round, except those that failed.
  void expect_all_others_ran(const outcome& result) const {
    const auto failed = by_name(result.failures);
    const auto ran = names(result.runs);
    for (const auto& name : planned_names())
      EXPECT_EQ(std::ranges::count(ran, name), failed.contains(name) ? 0 : chosen.rounds) << name;
  }

  /// What the session has shown of its progress.
  [[nodiscard]] std::string said() {
    std::rewind(log_.get());
    std::string text;
    for (int letter = std::fgetc(log_.get()); letter != EOF; letter = std::fgetc(log_.get()))
      text += static_cast<char>(letter);
    return text;
  }

  std::unique_ptr<transfers::device> device = transfers::open_host_device();
  registry strategies = registered_strategies();
  settings chosen;
  std::function<void(plan&)> change_plan = [](plan&) {};
  plan planned;
  std::optional<double> link_limit;
  const machine::gpu_monitor* monitor = nullptr;
  made_up_surroundings around;
  result_file::writer rows{"", {{"transfers", nullptr}}};
  turns* others = nullptr;
  std::size_t left_wrong = 0;  ///< bytes of host buffers without the pattern after the run

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> log_{std::tmpfile(), std::fclose};

 protected:
  progress shown{log_.get()};
};

}  // namespace bench_transfers::bench
