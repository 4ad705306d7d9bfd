#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bench/harness/measure.hpp"
#include "bench/harness/plan.hpp"
#include "bench/harness/settings.hpp"
#include "bench/record/observe.hpp"
#include "bench/strategy/buffers.hpp"

namespace bench_transfers::bench {

/// The context of a new result file: Google Benchmark's, and ours below "transfers" (keys in
/// docs/RESULT_FILE.md), with "complete" false until the run has ended by itself.
/// `why_not_gpu` is set when the host device was taken for want of a GPU; `start` is what was
/// observed before the run.
nlohmann::ordered_json make_context(const transfers::device& device,
                                    const std::optional<common::message>& why_not_gpu,
                                    const options& chosen, const plan& all, const buffers& memory,
                                    const observation& start);

nlohmann::ordered_json to_json(const std::vector<skipped_case>& skipped);

/// "2026-11-20T11:00:00Z"
std::string utc_now();

}  // namespace bench_transfers::bench
