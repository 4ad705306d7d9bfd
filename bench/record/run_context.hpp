#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "bench/harness/measure.hpp"
#include "bench/harness/plan.hpp"
#include "bench/harness/settings.hpp"
#include "bench/record/observe.hpp"
#include "bench/strategy/buffers.hpp"

namespace bench_transfers::bench {

/// The context of a new result file: Google Benchmark's, and ours below "transfers" (keys in
/// docs/RESULT_FILE.md), with "complete" false until the run has ended by itself.
/// `why_not_gpu` is set when the host device was taken for want of a GPU; `devices`: one at least,
/// in the order in which benchmarks name them.
nlohmann::ordered_json make_context(std::span<const observed_device> devices,
                                    const std::optional<common::message>& why_not_gpu,
                                    const options& chosen, const plan& all);

nlohmann::ordered_json to_json(const std::vector<skipped_case>& skipped);

/// "2026-11-20T11:00:00Z"
std::string utc_now();

}  // namespace bench_transfers::bench
