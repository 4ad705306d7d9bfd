#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/advice/leave_out.hpp"
#include "src/advice/measurements.hpp"
#include "src/advice/ranking.hpp"
#include "src/advice/role_answers.hpp"
#include "src/exports/answer.hpp"

namespace bench_transfers::advice {

/// What a program calls for one transfer.
struct program_calls {
  std::string lines;
  bool holds_launches = false;  ///< those of other threads wait while it copies
  bool page_locks = false;      ///< for each transfer: they wait for that, too
};

/// By the name of a strategy, with the job where jobs have calls of their own, and the direction.
using calls_by_strategy = std::map<std::pair<std::string, result_file::direction>, program_calls>;

/// The recommendation and its calls, the table of all strategies with their terms, and what limits
/// the answer. The ranking must not be empty.
void add_ranking(exports::answer& out, const measurements& measured, const cost_model& model,
                 const ranked_question& answer, const calls_by_strategy& calls);

/// Of several questions each in a line, and the calls of what is recommended. One must be ranked.
void add_rankings(exports::answer& out, const measurements& measured, const cost_model& model,
                  std::span<const ranked_question> answers, const calls_by_strategy& calls);

/// Why nothing answers a question.
std::string why_unranked(const ranked_question& answer);

/// The same for the jobs of another role than copies, one after the other. One must be ranked.
void add_alternatives(exports::answer& out, const role_answers& answers,
                      const calls_by_strategy& calls);

/// "file, cold, h2d (transfer measured at one size only; sizes: 1GiB)".
std::string unranked_text(const unranked_job& job);

/// The same for check_by_leaving_out: lines and errors of each series, then of all together.
void add_check(exports::answer& out, const measurements& measured,
               const std::vector<leave_out_check>& checks);

/// Of each line, if the measurements are not of a GPU.
std::string label_of(bool has_gpu);

}  // namespace bench_transfers::advice
