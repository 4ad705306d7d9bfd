#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/advice/alternatives.hpp"
#include "src/advice/leave_out.hpp"
#include "src/advice/measurements.hpp"
#include "src/advice/ranking.hpp"

namespace bench_transfers::advice {

/// For a terminal of 100 columns: the recommendation, the table of all strategies with their terms,
/// and what limits the answer. Every line is labelled if the measurements are not of a GPU. The
/// ranking must not be empty.
std::string ranking_text(const measurements& measured, const cost_model& model,
                         const question& question, const ranking& ranked);

/// The same for the jobs of another role than copies, one after the other. One must be ranked.
std::string alternatives_text(const role_answers& answers);

/// "file, cold, h2d (transfer measured at one size only; sizes: 1GiB)".
std::string unranked_text(const unranked_job& job);

/// The same for check_by_leaving_out: lines and errors of each series, then of all together.
std::string check_text(const measurements& measured, const cost_model& model,
                       const std::vector<leave_out_check>& checks);

/// The text, with a label before each line if the measurements are not of a GPU.
std::string labelled(const measurements& measured, const std::string& text);
std::string labelled(bool has_gpu, const std::string& text);

/// How long a line may be before it is labelled.
std::size_t columns_beside_label(bool has_gpu);

}  // namespace bench_transfers::advice
