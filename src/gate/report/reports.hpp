#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "src/gate/judge/answer.hpp"
#include "src/gate/judge/capability.hpp"
#include "src/gate/judge/history.hpp"
#include "src/gate/judge/power.hpp"
#include "src/gate/model/baseline.hpp"
#include "src/gate/model/reason.hpp"

namespace bench_transfers::gate {

// The forms of the answer to a check. They need nothing but the report.

/// For a terminal of 100 columns: first the changes of the machine, which may explain all else;
/// last the verdict. With `all`, also benchmarks that are the same, and complete lists.
std::string text_of(const report& answer, bool all = false);

/// For a comment on a pull request (GitHub, GitLab): shorter than GitHub's 65,536 characters.
std::string markdown_of(const report& answer);

/// For viewers of the tests of a CI job: a test case for each benchmark and for each reason why the
/// answer is inconclusive, so that it is green only if the check has passed. Valid by the schemas
/// of Jenkins' xUnit plugin (junit-10.xsd) and of Ant's JUnit task, which needs the time `now`.
std::string junit_of(const report& answer, std::chrono::sys_seconds now);

/// For programs: docs/answers.schema.json.
std::string json_of(const report& answer);

/// What `pin` prints: its warnings, and what a check of three new runs can find.
std::string text_of(const baseline& baseline, std::span<const pin_warning> warnings,
                    const stakes& stakes, const std::filesystem::path& file);

/// What `power` prints, for a terminal of 100 columns. `classes`: with so many new runs; `limits`:
/// as in `stakes`.
std::string text_of(const baseline& baseline, std::span<const power_line> lines,
                    std::span<const capability> classes, std::size_t new_runs,
                    const limits& limits);

// What `history` prints, for a terminal of 100 columns, and its file for programs.
std::string text_of(const history_answer& answer);
std::string json_of(const history_answer& answer);

}  // namespace bench_transfers::gate
