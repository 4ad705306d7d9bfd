#pragma once

#include <cstddef>
#include <string>

#include "src/gate/judge/answer.hpp"
#include "src/gate/model/reason.hpp"

namespace bench_transfers::gate {

// The sentences of every form of an answer, one line each. They may be reworded at any time,
// because no code depends on them: tests replace them by others (tests/data/reworded_gate.cpp).

/// Why an answer is inconclusive. The thresholds are part of some sentences.
std::string sentence_of(const reason& cause, const limits& limits);
std::string sentence_of(const note& message);
/// Shown beside or below a benchmark.
std::string sentence_of(const remark& message);
std::string sentence_of(const pin_warning& warning);

/// "real_time of the fastest repetition", "idle in s/GB (less is better)".
std::string metric_text(const metric& judged_by);
std::string thresholds_text(const limits& limits);

/// The verdict with its reasons.
std::string verdict_sentence(const report& answer);
/// Which runs were compared with which baseline.
std::string origin_sentence(const report& answer);
/// A verdict's name; "not judged" for benchmarks that are missing only because there are too few
/// runs.
std::string verdict_text(const report& answer, verdict result);
/// The title above facts that differ.
std::string changed_title(const report& answer);
/// "was 5, is 4", to follow the key of a fact.
std::string changed_text(const changed_fact& change);
/// The answer for one class, and what its benchmarks have in common.
std::string class_sentence(const report& answer, const class_answer& part);
/// The number of benchmarks with each verdict.
std::string counts_sentence(const report& answer);
/// The figures of a benchmark that was compared, and its note.
std::string figures_sentence(const finding& benchmark, const metric& judged_by);
/// The number of benchmarks whose noise would hide a slowdown of the threshold; empty if there are
/// none.
std::string advisory_sentence(const report& answer);
/// The progress of measuring suspects again.
std::string measuring_again_text(std::size_t finished, std::size_t runs);

/// What to do where another procedure measured so many benchmarks than in the baseline.
std::string other_procedure_text(std::size_t count);

}  // namespace bench_transfers::gate
