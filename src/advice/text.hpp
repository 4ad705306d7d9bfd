#pragma once

#include <string>
#include <vector>

#include "src/advice/leave_out.hpp"
#include "src/advice/measurements.hpp"
#include "src/advice/ranking.hpp"

namespace bench_transfers::advice {

/// For a terminal of 100 columns: what to use, the table of all strategies with their terms, and
/// what limits the answer. Every line says so when the measurements come from no GPU. There must be
/// a strategy in the ranking.
std::string ranking_text(const measurements& from, const cost_model& model, const question& asked,
                         const ranking& ranked);

/// The same for check_by_leaving_out: per name its lines and errors, then all together.
std::string check_text(const measurements& from, const cost_model& model,
                       const std::vector<leave_out_check>& checks);

/// The text as it is, or with a label before each line when the measurements come from no GPU.
std::string labelled(const measurements& from, const std::string& text);

}  // namespace bench_transfers::advice
