#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
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

}  // namespace bench_transfers::gate
