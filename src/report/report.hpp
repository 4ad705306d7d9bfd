#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "src/report/differences.hpp"
#include "src/report/said.hpp"
#include "src/result_file/spread.hpp"
#include "src/trust/judgement.hpp"

// What is said of runs and their machines: what reports draw and print.

namespace bench_transfers::report {

/// What is said of one run.
struct run_report {
  std::string file;
  trust::judgement judged;
  std::vector<common::message> matters;
  std::vector<rule> rules;
  std::vector<common::message> basis;  ///< of recommendations
  std::vector<report::alike> alike;
  comparable compared;
  std::map<std::string, result_file::spread> spreads;  ///< of benchmarks that have any
};

/// `name` stands for the file.
run_report report_of(const result_file::contents& read, const std::string& name);

/// As JSON: docs/EXPORTS.md.
std::string document_of(std::span<const run_report> runs);

}  // namespace bench_transfers::report
