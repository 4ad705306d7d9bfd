#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bench_transfers::gate {

/// A file that cannot be used; what() is one line that names the file and the reason.
class bad_input : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What benchmarks are judged by: a field of their rows.
struct metric {
  std::string key = "real_time";  ///< real_time, cpu_time: in ns, whatever the row's time_unit; any
                                  ///< other is taken as it is
  bool more_is_better = false;    ///< as of rates
  /// Stands for a process: the fastest of its repetitions, otherwise their median.
  bool fastest_repetition = false;

  /// The direction follows from the name: what ends in `_per_s`, `_per_second` or `_percent` is a
  /// rate.
  static metric named(std::string key);

  /// A time, in ns: real_time, cpu_time and what ends in `_ns`.
  [[nodiscard]] bool is_time() const;
  /// In bytes: of those, more is better.
  [[nodiscard]] bool is_rate_of_bytes() const;
  /// Whether the name tells the direction: a time or a rate.
  [[nodiscard]] bool tells_direction() const;
  /// Positive and finite, and of a time such that somebody can have measured it.
  [[nodiscard]] bool can_be(double value) const;
};

/// Larger is slower, whatever the metric: the logarithm of a time, or of a rate with its sign
/// turned.
double cost(double value, const metric& judged_by);
/// Back again.
double value_of(double cost, const metric& judged_by);

/// One benchmark of one process.
struct measured {
  std::vector<double> values;  ///< by repetition; positive and finite; real_time and cpu_time in ns
  std::size_t failed = 0;      ///< repetitions with an error, which have no value
  std::optional<double> bytes;  ///< moved by one operation, where the row says so
};

/// What decides whether two runs can be compared, in the order in which differences are reported:
/// key and value as text. What a file does not say is left out. The keys are
///   link.generation, link.width: as they were under load;
///   memory_type.<kind of host memory>: how the processor treats it;
///   device.name, .compute_capability, .driver_version, .driver_cuda_version,
///   .runtime_cuda_version;
///   cpu.model, .numa_nodes, .cpus_allowed, .governor;
///   memory.total_gib (rounded), .transparent_hugepage_enabled, .transparent_hugepage_defrag;
///   process.numa_policy_nodes_allowed; virtualisation.hypervisor; iommu.enabled; kernel.release;
///   program.build_type: a debug build measures something else;
///   settings.min_time_ms, .rounds, .random_order: they change what a figure means.
/// The program's commit, compiler and toolkit are not among them: they may be what is tested. Nor
/// is what differs between equal machines or from day to day: names, load, the distribution.
using fingerprint = std::vector<std::pair<std::string, std::string>>;

/// All keys that a fingerprint can have, but for memory_type.*.
std::vector<std::string> fact_keys();

/// One process, as its result file has it. Its texts, names of benchmarks included, are printable
/// (input/printable.hpp).
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
  std::vector<std::string> warnings;  ///< the file's own, in words
  std::map<std::string, measured> benchmarks;
  /// In the file, but without a repetition that has the field judged by: only aggregates, or rows
  /// without such a counter. Times are never missing.
  std::vector<std::string> unjudged;
  std::uint64_t content = 0;  ///< equal for equal values and start, whatever the file's name
};

/// Reads a result file, also one compressed with gzip, of up to common::most_text_bytes
/// (unpacked). Throws bad_input: it cannot be read; it is not JSON; of a newer format; without
/// benchmarks; with one that is there twice or has a value that nobody can have measured.
/// Repetitions with an error are no reason: they count as failed.
run read_run(const std::filesystem::path& file, const metric& judged_by);

/// The same from a file's text; `file` is only named. Throws bad_input.
run run_in(std::string text, const std::filesystem::path& file, const metric& judged_by);

}  // namespace bench_transfers::gate
