#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "src/advice/leave_out.hpp"
#include "src/advice/map.hpp"
#include "src/advice/measurements.hpp"
#include "src/advice/ranking.hpp"
#include "src/advice/role_answers.hpp"

namespace bench_transfers::advice {

/// The documents that advice writes, as docs/answers.schema.json describes them.
nlohmann::ordered_json ranking_document(const measurements& measured, const cost_model& model,
                                        const ranked_question& answer);
/// Of several questions. Where nothing can be ranked, an answer recommends nothing.
nlohmann::ordered_json rankings_document(const measurements& measured, const cost_model& model,
                                         std::span<const ranked_question> answers);
/// One job must be ranked.
nlohmann::ordered_json alternatives_document(const role_answers& answers);
nlohmann::ordered_json map_document(const measurements& measured, const cost_model& model,
                                    std::span<const winner_map> directions);
nlohmann::ordered_json check_document(const measurements& measured, const cost_model& model,
                                      const std::vector<leave_out_check>& checks);

}  // namespace bench_transfers::advice
