#pragma once

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "src/gate/cli/options.hpp"
#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

// The files of a command line. Whatever is wrong with them is reported before any work begins.

/// All that a command reads, which no output may replace.
paths inputs_of(paths runs, const std::filesystem::path& baseline);

/// Throws bad_input, with the file's name.
std::vector<run> read_runs(const paths& files, const metric& judged_by);

/// The metric that the runs are judged by: the request, completed with the runs' declarations.
/// Throws usage_error if it is unknown whether more or less is better, and bad_input if runs
/// disagree.
metric metric_of(const metric_request& request, std::span<const run> runs);

/// Throws usage_error for a key that no fingerprint has, because it has no effect.
void require_known_keys(const std::set<std::string>& keys, const fingerprint& machine,
                        std::span<const run> runs);

/// Throws usage_error for keys that neither the baseline has nor any run could have. It needs no
/// runs.
void require_facts(const std::set<std::string>& keys, const fingerprint& machine);

}  // namespace bench_transfers::gate
