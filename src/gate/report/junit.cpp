#include "src/exports/junit.hpp"

#include <fmt/format.h>

#include "src/gate/report/reports.hpp"
#include "src/gate/report/wording.hpp"

namespace bench_transfers::gate {
namespace {

using exports::test_case;
using exports::test_outcome;

test_case test_case_of(const finding& benchmark, const report& answer) {
  test_case test{"gate_transfers.benchmarks", benchmark.name};
  test.type = to_string(benchmark.result);
  switch (benchmark.result) {
    case verdict::slower:
      test.outcome = test_outcome::failure;
      test.message = figures_sentence(benchmark, answer.judged_by);
      break;
    case verdict::ambiguous:
      test.outcome = test_outcome::error;
      test.message = "ambiguous: " + figures_sentence(benchmark, answer.judged_by);
      break;
    case verdict::missing:
      test.outcome = benchmark.excused ? test_outcome::skipped : test_outcome::error;
      test.message = verdict_text(answer, verdict::missing) + ": " +
                     (benchmark.note ? sentence_of(*benchmark.note) : "") +
                     (benchmark.excused ? " (allowed)" : "");
      break;
    case verdict::not_known:
      test.outcome = test_outcome::skipped;
      test.message = "not known: " + figures_sentence(benchmark, answer.judged_by);
      break;
    case verdict::unchanged:
    case verdict::faster:
    case verdict::added: break;
  }
  return test;
}

}  // namespace

std::string junit_of(const report& answer, std::chrono::sys_seconds now) {
  exports::junit_suite tests(
      "gate_transfers",
      answer.on_host ? "gate_transfers on the host device (no GPU)" : "gate_transfers", now);
  tests.add_property("verdict", verdict_sentence(answer));
  tests.add_property("compared", origin_sentence(answer));
  tests.add_property("benchmarks", counts_sentence(answer));
  tests.add_property("thresholds", thresholds_text(answer.question.limits));
  for (const auto& change : answer.changed)
    tests.add_property("changed", fmt::format("{}: {}", change.fact.key, changed_text(change)));
  for (const auto& part : answer.classes) tests.add_property("class", class_sentence(answer, part));
  // Something must be red where the answer is.
  const bool are_reasons =
      answer.code != exit_code::regression || answer.count(verdict::slower) == 0;
  for (const auto& cause : are_reasons ? answer.reasons : std::vector<reason>()) {
    const auto why = sentence_of(cause, answer.question.limits);
    if (answer.code == exit_code::environment)
      tests.add({"gate_transfers.environment_slower", why, test_outcome::failure,
                 "environment_slower", why});
    else
      tests.add({"gate_transfers.inconclusive", why, test_outcome::error, "inconclusive", why});
  }
  for (const auto& benchmark : answer.findings) tests.add(test_case_of(benchmark, answer));
  return tests.text(text_of(answer, true));
}

}  // namespace bench_transfers::gate
