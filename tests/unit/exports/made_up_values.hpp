#pragma once

#include <string>

#include "src/exports/results/values.hpp"

namespace bench_transfers::exports {

/// A copy of 64 KiB that took 2 µs, by a device of this name.
inline benchmark_value made_up_copy(const std::string& name = "copy/pinned/h2d/64KiB",
                                    const std::string& device_name = "Made-up GPU") {
  benchmark_value value;
  value.described.name = name;
  value.described.family = "copy";
  value.described.strategy = "copy/pinned";
  value.described.memory = "pinned";
  value.described.variant = "h2d";
  value.described.direction = result_file::direction::h2d;
  value.described.size_bytes = 65536;
  value.devices = {"cuda:0"};
  value.device_name = device_name;
  value.uuid = "GPU-1";
  value.repetitions = 9;
  value.bytes = 65536;
  value.time_ns = {2000, statistics::interval{1900, 2500}};
  value.gb_per_s = measured_value{32.768, statistics::interval{26.2144, 34.5}};
  return value;
}

inline run_values made_up_run(const benchmark_value& value = made_up_copy(), bool on_host = false) {
  run_values run;
  run.file = "run.json";
  run.started_utc = "2026-11-21T10:22:25Z";
  run.on_host = on_host;
  run.benchmarks = {value};
  return run;
}

/// What CSV, JSON, Markdown, metrics, spreadsheets and terminals give a meaning to.
inline constexpr const char* hostile_name = "=cmd|\"a\\b\",`c`\n<d>@e|[f](g){h=\"i\"} # EOF";

}  // namespace bench_transfers::exports
