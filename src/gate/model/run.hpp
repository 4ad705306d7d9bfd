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

#include "src/gate/model/benchmark_class.hpp"
#include "src/gate/model/fingerprint.hpp"
#include "src/gate/model/metric.hpp"
#include "src/gate/model/work.hpp"
#include "src/result_file/processes.hpp"

namespace bench_transfers::gate {

/// One benchmark of one process.
struct benchmark_values {
  std::vector<double> values;  ///< by repetition; positive and finite; real_time and cpu_time in ns
  std::size_t failed = 0;      ///< repetitions with an error, which have no value
  std::optional<double> bytes;  ///< moved by one operation, if the row has it
  /// The class of long operations (class_of).
  benchmark_class limited_by = benchmark_class::other;
  /// By repetition: the mean of its operations, where `values` has their median. Empty if the rows
  /// have no other mean than the value.
  std::vector<double> means = {};
  /// The fastest operation of all repetitions; none if not all rows have theirs.
  std::optional<double> fastest = {};
  gate::work work = {};
  std::size_t left_out = 0;  ///< repetitions that were asked for and do not count, or are not there
  /// The mean of the operations is another number than the value, and not all rows have it.
  bool lacks_means = false;
};

/// Whether fewer than half of the repetitions that were asked for are left. They may be the ones
/// that were not slow.
bool has_too_few_repetitions(const benchmark_values& benchmark);
/// Whether a process has a figure.
bool is_usable(const benchmark_values& benchmark);

/// A warning of a file.
struct run_warning {
  std::string code;
  std::string text;

  bool operator==(const run_warning&) const = default;
};

/// Whether a number has more than six digits, so that two processes do not have the same by chance.
bool is_fine(double number);
/// The relative difference of numbers that are the same in six digits.
inline constexpr double fine_digits = 1e-6;

/// When something ran.
struct period {
  std::chrono::sys_seconds begin;
  std::optional<std::chrono::sys_seconds> end;  ///< none: it was killed, or the file does not tell
};

/// One process, as its result file describes it. Its texts, names of benchmarks included, are
/// printable (common/printable.hpp).
struct run {
  std::filesystem::path file;
  bool ours = false;     ///< false: a Google Benchmark file of another program
  fingerprint machine;   ///< empty if the file has none
  bool on_host = false;  ///< measured without a GPU, on the device `host`
  std::string device;    ///< "NVIDIA H200", "host"; may be empty
  std::string card;      ///< the GPU's UUID
  std::string slot;      ///< its PCI address
  std::string host;      ///< the machine's name, in files of other programs
  std::optional<std::chrono::sys_seconds> started;  ///< of a run in parts, the first one
  std::vector<period> periods;                      ///< one for each part
  std::string boot;                 ///< changes with every start of the machine; may be empty
  std::vector<std::string> faults;  ///< injected on purpose
  /// Options that chose what was measured; none if the file does not tell.
  std::optional<std::vector<std::string>> options = {};
  bool complete = true;
  std::size_t parts = 1;  ///< in which it was measured, one after another
  /// Which one of its file.
  result_file::process_of_run process = {};
  std::vector<run_warning> warnings;
  /// The file's declaration of the field judged by.
  std::optional<declaration> declared;
  std::map<std::string, benchmark_values> benchmarks;
  /// Benchmarks of the file without a repetition that has the field judged by: only aggregates, or
  /// rows without this counter. Times are never missing.
  std::vector<std::string> unjudged;
  std::uint64_t content = 0;  ///< equal for equal values and start times, whatever the file's name
  /// Equal for equal numbers in all repetitions, whatever the start time. None if the numbers are
  /// so few or so coarse that two processes may have the same.
  std::optional<std::uint64_t> measurements;

  /// Its file, and which of the file's processes: for what this process alone has measured.
  [[nodiscard]] std::filesystem::path name() const;
  /// Whether it is the one of its file's processes that tells what the whole file is.
  [[nodiscard]] bool tells_of_file() const { return process.number == 1; }
};

/// Whether a run with this warning may be slower than its machine is: it was throttled, or its link
/// changed.
bool is_disturbance(const run_warning& warning);
/// Whether a warning tells of something that makes runs differ. Others describe the machine.
bool concerns_figures(const run_warning& warning);
bool is_disturbed(const run& process);

/// The figure of a process: the median of its repetitions, or the fastest; none if there are no
/// repetitions, one has failed, or too few are left.
std::optional<double> figure_of(const benchmark_values& benchmark, const metric& judged_by);

/// The mean of all operations of a process, under the same conditions, if all repetitions have it:
/// what the median does not show.
std::optional<double> mean_of(const benchmark_values& benchmark, const metric& judged_by);

/// The fastest operation of a process that has a figure, if all repetitions have theirs: what noise
/// changes least.
std::optional<double> fastest_of(const benchmark_values& benchmark);

/// The declaration of the field judged by in those runs that have one; none if no run has one.
/// Throws bad_input if two of them disagree.
std::optional<declaration> declaration_in(std::span<const run> runs, const metric& judged_by);

/// A GPU's name, "host device (no GPU)", "unknown device".
std::string device_label(const std::string& device, bool on_host);

}  // namespace bench_transfers::gate
