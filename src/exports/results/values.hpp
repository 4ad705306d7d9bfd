#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/result_file/contents.hpp"
#include "src/statistics/modes.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::exports {

/// A median over repetitions. The interval holds that of other processes of the machine, with 95 %;
/// a run of one process has none (result_file/spread.hpp).
struct measured_value {
  double value = 0;
  std::optional<statistics::interval> interval;
};

/// One benchmark of a run.
struct benchmark_value {
  result_file::benchmark described;
  std::vector<std::string> devices;            ///< ids: "cuda:1"
  std::string device_name;                     ///< of the first of them; may be empty
  std::string uuid;                            ///< likewise
  bool confidential = false;                   ///< the device encrypts each byte on its way
  std::size_t repetitions = 0, processes = 0;  ///< that have measured it
  std::optional<double> bytes;                 ///< moved by one operation
  measured_value time_ns;                      ///< of one operation; less is better
  std::optional<statistics::two_modes> modes;  ///< of that time, in ns
  std::optional<measured_value> gb_per_s;      ///< of what moves bytes; more is better
};

/// What one result file says.
struct run_values {
  std::string file;
  std::string started_utc;  ///< may be empty
  bool on_host = false;     ///< measured without a GPU
  bool complete = true;
  std::size_t parts = 1;                    ///< in which it was measured, one after another
  std::vector<benchmark_value> benchmarks;  ///< in natural order
  std::vector<std::string> failed;          ///< benchmarks of which a repetition has failed
  std::vector<std::string> timeless;        ///< benchmarks without a median_ns above zero
};

/// `name` stands for the file.
run_values values_of(const result_file::contents& read, const std::string& name);

}  // namespace bench_transfers::exports
