#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "src/fleet/history/history.hpp"
#include "src/fleet/judge/judge.hpp"
#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// The judgement for people: the verdict, who is slow and by how much, and what was tested.
std::string text_of(const sweep& sweep, const judgement& judged);

/// The judgement for programs: docs/answers.schema.json.
std::string json_of(const sweep& sweep, const judgement& judged);

/// For a comment: shorter than GitHub's 65,536 characters.
std::string markdown_of(const sweep& sweep, const judgement& judged);

/// For viewers of tests: a test case for each node, and for whatever else keeps the fleet from
/// being healthy. `now` as in exports/junit.hpp.
std::string junit_of(const sweep& sweep, const judgement& judged, std::chrono::sys_seconds now);

/// For Prometheus: gauges, as OpenMetrics and as a node exporter's textfile.
std::string openmetrics_of(const sweep& sweep, const judgement& judged);

/// A history for people: who is in trouble and since when, and what has changed.
std::string text_of(const history& history);
/// Of one GPU, sweep by sweep.
std::string text_of(const history& history, const gpu_history& gpu);
/// For programs; `only`: of one GPU, if it is not null.
std::string json_of(const history& history, const gpu_history* only);

/// A table of the GPUs, with what each is slower than the median of its peers, for a terminal of
/// 100 columns; `slowest`: only so many, the slowest ones first.
std::string table_of(const sweep& sweep, const judgement& judged,
                     std::optional<std::size_t> slowest = {});

}  // namespace bench_transfers::fleet
