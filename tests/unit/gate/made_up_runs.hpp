#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

inline constexpr std::chrono::sys_seconds noon{
    std::chrono::sys_days{std::chrono::year{2026} / 11 / 21} + std::chrono::hours(12)};

/// A run of one benchmark, a minute after the one before.
inline run made_up(int number, std::vector<double> values = {100, 101, 102}) {
  run run;
  run.file = "run-" + std::to_string(number) + ".json";
  run.ours = true;
  run.machine = {{"link.width", "16"}, {"device.name", "GPU"}};
  run.device = "GPU";
  run.started = noon + std::chrono::minutes(number);
  run.boot = "boot";
  run.card = "card";
  run.content = static_cast<std::uint64_t>(number) + 1;
  run.benchmarks["copy"] = {std::move(values), 0, 4096};
  return run;
}

inline std::vector<run> made_up_runs(int count) {
  std::vector<run> runs;
  for (int i = 0; i < count; ++i) runs.push_back(made_up(i));
  return runs;
}

inline metric declared_as(const std::string& key, const declaration& counter, bool more_is_better) {
  auto judged_by = metric::named(key).with(counter);
  judged_by.more_is_better = more_is_better;
  return judged_by;
}

/// Whether one of the messages is of this kind.
template <class Kind, class... Kinds>
bool has_message(const std::vector<std::variant<Kinds...>>& messages) {
  return std::ranges::any_of(
      messages, [](const auto& message) { return std::holds_alternative<Kind>(message); });
}

/// The first message of this kind.
template <class Kind, class... Kinds>
Kind message_in(const std::vector<std::variant<Kinds...>>& messages) {
  for (const auto& message : messages)
    if (const auto* const match = std::get_if<Kind>(&message)) return *match;
  throw std::invalid_argument("no message of this kind");
}

/// Warnings that concern figures, and whether they tell of a disturbance.
inline constexpr std::array<std::pair<const char*, bool>, 9> warnings_of_figures{
    {{"gpu_throttled", true},
     {"gpu_clock_fell", true},
     {"cpu_throttled", true},
     {"link_changed", true},
     {"pcie_replays", false},
     {"other_load", false},
     {"repetitions_disturbed", false},
     {"rounds_slowed", false},
     {"confidential_computing", false}}};

}  // namespace bench_transfers::gate
