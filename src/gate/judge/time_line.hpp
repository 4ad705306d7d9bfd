#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "src/gate/judge/compare.hpp"
#include "src/gate/judge/history.hpp"
#include "src/gate/model/baseline.hpp"
#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

/// The sessions of a baseline and of further runs, in the order of time. The baseline outlives it.
class time_line {
 public:
  /// `runs`: that the baseline does not have. `may_differ`: keys of facts.
  time_line(const baseline& line, std::vector<run> runs, const std::set<std::string>& may_differ);

  [[nodiscard]] const std::vector<session_record>& records() const { return records_; }

  /// The costs of a benchmark, session by session.
  [[nodiscard]] costs costs_of_benchmark(const std::string& name, const history& history) const;

 private:
  void record_run(const run& process, session_record& session,
                  const std::set<std::string>& may_differ);
  [[nodiscard]] std::size_t other_procedures_in(const run& process) const;

  const baseline& line_;
  std::vector<run> runs_;
  std::vector<bool> counts_;             ///< of each run
  std::vector<std::size_t> session_of_;  ///< of each process, the baseline's first
  std::vector<session_record> records_;
};

}  // namespace bench_transfers::gate
