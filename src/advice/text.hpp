#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/advice/alternatives.hpp"
#include "src/advice/leave_out.hpp"
#include "src/advice/measurements.hpp"
#include "src/advice/ranking.hpp"
#include "src/exports/answer.hpp"

namespace bench_transfers::advice {

/// What a program calls for a strategy, line by line, by the strategy's name.
using calls_by_strategy = std::map<std::string, std::string>;

/// The recommendation and its calls, the table of all strategies with their terms, and what limits
/// the answer. The ranking must not be empty.
void add_ranking(exports::answer& out, const measurements& measured, const cost_model& model,
                 const question& question, const ranking& ranked, const calls_by_strategy& calls);

/// The same for the jobs of another role than copies, one after the other. One must be ranked.
void add_alternatives(exports::answer& out, const role_answers& answers,
                      const calls_by_strategy& calls);

/// "file, cold, h2d (transfer measured at one size only; sizes: 1GiB)".
std::string unranked_text(const unranked_job& job);

/// The same for check_by_leaving_out: lines and errors of each series, then of all together.
void add_check(exports::answer& out, const measurements& measured, const cost_model& model,
               const std::vector<leave_out_check>& checks);

/// Of each line, if the measurements are not of a GPU.
std::string label_of(bool has_gpu);

}  // namespace bench_transfers::advice
