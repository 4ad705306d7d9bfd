#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "src/gate/judge/answer.hpp"
#include "src/gate/judge/power.hpp"
#include "src/gate/model/baseline.hpp"
#include "src/gate/model/reason.hpp"

namespace bench_transfers::gate {

// The answer to a check, for those who read it. All are made of the report alone.

/// For a terminal of 100 columns: what changed in the machine first, because it explains the rest;
/// the verdict last. With `all`, also what is the same, and lists are not cut.
std::string text_of(const report& answer, bool all = false);

/// For a comment on a pull request (GitHub, GitLab): shorter than GitHub's 65,536 characters.
std::string markdown_of(const report& answer);

/// For what shows the tests of a CI job: a test case for each benchmark and for each reason why the
/// answer is inconclusive, so that it is green only when the check has passed. Valid by the schemas
/// of Jenkins' xUnit plugin (junit-10.xsd) and of Ant's JUnit task, which needs the time `now`.
std::string junit_of(const report& answer, std::chrono::sys_seconds now);

/// For programs; docs/RESULT_FILE.md.
std::string json_of(const report& answer);

/// What `pin` prints, with its warnings.
std::string text_of(const baseline& made, std::span<const pin_warning> warnings,
                    const std::filesystem::path& file);

/// What `power` prints, for a terminal of 100 columns.
std::string text_of(const baseline& of, std::span<const power_line> lines, std::size_t new_runs,
                    const limits& allowed);

}  // namespace bench_transfers::gate
