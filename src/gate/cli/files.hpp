#pragma once

#include <filesystem>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "src/gate/cli/options.hpp"
#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

// The files of a command line: what can be known to be wrong with them before any work is done, is.

/// Throws usage_error unless every output (an empty path is none) can be written and is neither an
/// input nor another output, by whatever name.
void require_outputs(std::initializer_list<std::filesystem::path> outputs, const paths& inputs);

paths inputs_of(const check_request& asked);

/// Throws bad_input, with the file's name.
std::vector<run> read_runs(const paths& files, const metric& judged_by);

/// What the runs are judged by: what was asked for, with what the runs declare. Throws usage_error
/// where nothing tells whether more or less is better, and bad_input where runs disagree.
metric judged_by(const metric_request& asked, std::span<const run> runs);

/// Throws usage_error for a key that neither fingerprint has, because it does nothing.
void require_known_keys(const std::set<std::string>& keys, const fingerprint& machine,
                        std::span<const run> runs);

/// Throws usage_error for keys that neither the baseline has nor any run could have: before runs
/// are there.
void require_facts(const std::set<std::string>& keys, const fingerprint& machine);

}  // namespace bench_transfers::gate
