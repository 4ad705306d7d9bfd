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

/// The origin of a process's figures, and what distinguishes sessions.
struct process {
  std::string file;  ///< its name when it was read
  std::optional<std::chrono::sys_seconds> started;
  std::string boot, card;
  std::uint64_t content = 0;
  // Older baselines do not tell.
  std::string slot = {}, host = {};
  std::optional<std::uint64_t> measurements = {};
  std::optional<std::chrono::sys_seconds> finished = {};  ///< of a run in parts, the first one
};

/// None where a process has no such figure.
using figures_of_processes = std::vector<std::optional<double>>;

/// One benchmark in all processes.
struct history {
  std::optional<double> bytes;  ///< moved by one operation
  /// The class of long operations (class_of).
  benchmark_class limited_by = benchmark_class::other;
  /// The centre in the first baseline of the line, if this one has replaced others.
  std::optional<double> reference;
  /// figure_of() each process; none if it was not measured or failed.
  figures_of_processes figures;
  /// mean_of() and fastest_of() each process; empty in baselines that were pinned without, or of
  /// which a process has none.
  figures_of_processes means = {}, fastest = {};
  gate::work work = {};  ///< in which all processes agree
};

/// Whether each process that has a figure has one of these, too.
bool has_all(const history& history, const figures_of_processes& others);

/// Earlier runs, with which new ones are compared.
struct baseline {
  metric judged_by;
  bool ours = true;  ///< of bench_transfers
  bool on_host = false;
  std::string device;
  fingerprint machine;
  std::vector<process> processes;
  /// Options of bench_transfers with which all processes were measured; none if they differ, or if
  /// nobody knows.
  std::optional<std::vector<std::string>> options = {};
  std::map<std::string, history> benchmarks;
};

/// The format of baselines. It grows only if programs and baselines of different formats would
/// misunderstand each other. A new member that older baselines may lack does not change it.
inline constexpr int baseline_format = 3;
inline constexpr const char* baseline_kind = "bench_transfers baseline";
inline constexpr std::size_t least_processes = 3;
inline constexpr std::size_t recommended_processes = 10;
inline constexpr std::size_t most_processes = 1000;

/// Throws bad_input if runs are not independent (the same measurements twice, also among `known`;
/// two runs at one time on one GPU: parts of one process, or they disturbed each other), if some
/// are the host device's and some a GPU's, or if they are of different programs.
void require_comparable(std::span<const run> runs, std::span<const process> known = {});

/// The runs that are not among `known`: of each of these, one is left out.
std::vector<run> runs_beside(std::span<const process> known, std::vector<run> runs);

process origin_of(const run& run);
std::vector<process> origins_of(std::span<const run> runs);

/// The session of each process, numbered from 0 in the order of time. Processes that began within
/// an hour of one another belong together, unless the machine was restarted in between or the card
/// differs. Processes without a time belong to the first session.
std::vector<std::size_t> sessions_of(std::span<const process> processes);
std::size_t number_of_sessions(std::span<const process> processes);

}  // namespace bench_transfers::gate
