#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/gate/model/fingerprint.hpp"
#include "src/gate/model/metric.hpp"

namespace bench_transfers::gate {

/// One benchmark of one process.
struct measured {
  std::vector<double> values;  ///< by repetition; positive and finite; real_time and cpu_time in ns
  std::size_t failed = 0;      ///< repetitions with an error, which have no value
  std::optional<double> bytes;  ///< moved by one operation, where the row says so
};

/// A warning of a file. The gate shows none of them and does not decide by them.
struct run_warning {
  std::string code;
  std::string text;

  bool operator==(const run_warning&) const = default;
};

/// One process, as its result file has it. Its texts, names of benchmarks included, are printable
/// (common/printable.hpp).
struct run {
  std::filesystem::path file;
  bool ours = false;     ///< false: a Google Benchmark file of another program
  fingerprint machine;   ///< empty where the file has none
  bool on_host = false;  ///< measured without a GPU, on the device `host`
  std::string device;    ///< "NVIDIA H200", "host"; may be empty
  std::string card;      ///< the GPU's UUID; tells sessions, not kinds of machine, apart
  std::optional<std::chrono::sys_seconds> started;
  std::string boot;                 ///< changes with every start of the machine; may be empty
  std::vector<std::string> faults;  ///< injected on purpose
  bool complete = true;
  std::vector<run_warning> warnings;
  /// What the file says about the field judged by.
  std::optional<declaration> declared;
  std::map<std::string, measured> benchmarks;
  /// In the file, but without a repetition that has the field judged by: only aggregates, or rows
  /// without such a counter. Times are never missing.
  std::vector<std::string> unjudged;
  std::uint64_t content = 0;  ///< equal for equal values and start, whatever the file's name
};

/// What stands for a process: its repetitions' median, or the fastest of them; none where there are
/// none or one has failed.
std::optional<double> figure_of(const measured& benchmark, const metric& judged_by);

/// What those of the runs that declare the field judged by say about it; none where none does.
/// Throws bad_input when two of them disagree.
std::optional<declaration> declaration_in(std::span<const run> runs, const metric& judged_by);

/// A GPU's name, "host device (no GPU)", "unknown device".
std::string device_label(const std::string& device, bool on_host);

}  // namespace bench_transfers::gate
