#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/gate/judge/compare.hpp"
#include "src/gate/model/baseline.hpp"

namespace bench_transfers::gate {

/// A benchmark's costs by session; `sessions` names the session of each process, of `count` in all.
costs costs_of(const history& history, std::span<const std::size_t> sessions, std::size_t count,
               const metric& judged_by);

/// The same benchmark by other figures of its processes; none if not all of them are known.
std::optional<history> by(figures_of_processes history::*others, const history& history);

/// The centre of all processes, in the metric's unit.
double centre_of(const costs& sessions, const metric& judged_by);

/// A benchmark of the baseline, still without new runs.
observation observe(const history& history, std::span<const std::size_t> sessions,
                    std::size_t count, const metric& judged_by);
/// All of them, by name and by class.
std::map<std::string, observation> observe(const baseline& before);
std::map<benchmark_class, std::vector<observation>> observe_classes(const baseline& before);

}  // namespace bench_transfers::gate
