#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

/// Where a process's figures come from, and what tells sessions apart.
struct process {
  std::string file;  ///< as it was called when it was read
  std::optional<std::chrono::sys_seconds> started;
  std::string boot, card;
  std::uint64_t content = 0;
};

/// One benchmark in all processes.
struct history {
  std::optional<double> bytes;  ///< moved by one operation
  /// figure_of() each process; none where it was not measured or has failed.
  std::vector<std::optional<double>> figures;
};

/// What new runs are compared with.
struct baseline {
  metric judged_by;
  bool ours = true;  ///< of bench_transfers
  bool on_host = false;
  std::string device;
  fingerprint machine;
  std::vector<process> processes;
  std::map<std::string, history> benchmarks;
  bool settings_covered = true;  ///< by the file's digest; not in the first format
};

/// The newest format of baselines that is understood. The first one has another digest.
inline constexpr int baseline_format = 2;
inline constexpr const char* baseline_kind = "bench_transfers baseline";
inline constexpr std::size_t least_processes = 3;
inline constexpr std::size_t recommended_processes = 10;
inline constexpr std::size_t most_processes = 1000;

/// Throws bad_input when runs are not independent (the same measurements twice, also as one of
/// `known`), when some are the host device's and some a GPU's, or of different programs.
void require_comparable(std::span<const run> runs, std::span<const process> known = {});

process origin_of(const run& measured);

/// Session of each process, numbered from 0 in the order of time. Those that began within an hour
/// after one another belong together, unless the machine was started in between or the card is
/// another one. Processes without a time belong to the first session: nothing tells them apart.
std::vector<std::size_t> sessions_of(std::span<const process> processes);
std::size_t number_of_sessions(std::span<const process> processes);

}  // namespace bench_transfers::gate
