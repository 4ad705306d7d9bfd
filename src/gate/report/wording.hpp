#pragma once

#include <cstddef>
#include <string>

#include "src/gate/judge/answer.hpp"
#include "src/gate/model/reason.hpp"

namespace bench_transfers::gate {

// The sentences of every form of an answer, each one line. They may be reworded at any time:
// nothing decides by them. Tests put others in their place (tests/data/reworded_gate.cpp).

/// Why an answer is inconclusive. The thresholds are part of some sentences.
std::string sentence_of(const reason& cause, const limits& allowed);
std::string sentence_of(const note& said);
/// What stands beside or below a benchmark.
std::string sentence_of(const remark& said);
std::string sentence_of(const pin_warning& said);

/// "real_time of the fastest repetition", "idle in s/GB (less is better)".
std::string metric_text(const metric& judged_by);
std::string thresholds_text(const limits& allowed);

/// The verdict with its reasons.
std::string verdict_sentence(const report& answer);
/// What was compared with what.
std::string origin_sentence(const report& answer);
/// A verdict's name; "not judged" for what is missing only because there are too few runs.
std::string verdict_text(const report& answer, verdict found);
/// What stands above facts that differ.
std::string changed_title(const report& answer);
/// "was 5, is 4", of a fact of the machine whose key is told before.
std::string changed_text(const changed_fact& change);
/// What a class of benchmarks has in common.
std::string class_sentence(const common_shift& shared);
/// How many benchmarks have which verdict.
std::string counts_sentence(const report& answer);
/// The figures of a benchmark that was compared, and its note.
std::string figures_sentence(const finding& benchmark, const metric& judged_by);
/// In how many benchmarks noise would hide a slowdown of the threshold; empty where in none.
std::string advisory_sentence(const report& answer);
/// While suspects are measured again.
std::string measuring_again_text(std::size_t done, std::size_t runs);

}  // namespace bench_transfers::gate
