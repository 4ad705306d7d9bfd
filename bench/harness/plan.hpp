#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/measured_device.hpp"
#include "bench/harness/settings.hpp"
#include "bench/strategy/strategy.hpp"
#include "src/common/message.hpp"
#include "src/result_file/format.hpp"

namespace bench_transfers::bench {

/// What an earlier part of the run has measured of a benchmark.
struct earlier_repetitions {
  int count = 0;
  int next = 0;                 ///< the number of the next one
  std::vector<double> medians;  ///< of those that are not spoilt, in ns
  std::optional<result_file::disturbance_degree> least = {};
  std::set<result_file::disturbance> spoilt_by = {};
  unsigned procedure = 1;  ///< that measured them

  void add(int number, std::optional<double> median_ns,
           const std::set<result_file::disturbance>& disturbed);
  [[nodiscard]] bool are_spoilt() const { return least == result_file::disturbance_degree::spoilt; }
};

/// One benchmark: one name in the result file.
struct benchmark_case : result_file::benchmark {
  const bench::strategy* measured = nullptr;
  std::vector<named_flow> copies = {};  ///< its flows, with what prepares them
  earlier_repetitions earlier = {};
  unsigned procedure = 1;  ///< strategy::procedure, or that of the variant

  [[nodiscard]] std::size_t bytes() const { return size_bytes.value_or(0); }
  /// Whether all processes of the node copy at once.
  [[nodiscard]] bool is_of_ranks() const {
    return set && set->kind == result_file::set_kind::ranks;
  }
};

/// Whether a benchmark uses the device of this index.
bool uses_device(const benchmark_case& planned, std::size_t index);

/// A requested benchmark that cannot run here. `name` is its name, or the prefix of several names.
struct skipped_case {
  std::string name;
  common::message reason;
  std::optional<benchmark_case> benchmark = {};  ///< empty: several, or it was planned
};

struct plan {
  std::vector<benchmark_case> cases;
  std::vector<skipped_case> skipped;
  /// Planned, but not measured by this run: there is no time for their buffers, or an earlier part
  /// has all their repetitions, each of them spoilt.
  std::vector<benchmark_case> set_aside = {};
  /// Devices by index that were lost while buffers were reserved, and what their benchmarks fail
  /// with.
  std::map<std::size_t, common::message> lost_devices = {};
};

/// Why a strategy cannot run on a device of a run of so many; nullopt if it can.
std::optional<common::message> why_not_in_run(const strategy& candidate,
                                              const transfers::device& device, std::size_t devices);

/// Plans strategies × devices × variants × sizes × cache states, as far as the settings select
/// them. Names end in the device's id if there are several devices. Benchmarks that a device cannot
/// run go to `skipped`. Throws usage_error for unknown strategies, for a bad filter and for faults
/// that concern no benchmark.
plan make_plan(const registry& strategies, std::span<const named_device> devices,
               const settings& settings);
/// The same for a run of a single device.
plan make_plan(const registry& strategies, const transfers::device& device,
               const settings& settings);

}  // namespace bench_transfers::bench
