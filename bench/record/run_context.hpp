#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "bench/harness/measure.hpp"
#include "bench/harness/plan.hpp"
#include "bench/harness/settings.hpp"
#include "bench/record/observe.hpp"

namespace bench_transfers::bench {

/// The context of a new result file: Google Benchmark's, and this program's under "transfers" (keys
/// in docs/RESULT_FILE.md), where "complete" is false until the run is complete. `why_not_gpu` is
/// set if the host device is used because there is no GPU. `devices`: at least one, in the order of
/// the indices in benchmarks. `fleet`: which process of many this is; null if of none.
nlohmann::ordered_json make_context(std::span<const observed_device> devices,
                                    const std::optional<common::message>& why_not_gpu,
                                    const settings& settings, const plan& plan,
                                    const nlohmann::ordered_json& fleet = nullptr);

nlohmann::ordered_json to_json(const std::vector<skipped_case>& skipped);

}  // namespace bench_transfers::bench
