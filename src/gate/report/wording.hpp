#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/gate/judge/check.hpp"

namespace bench_transfers::gate {

// Figures and sentences as every form of an answer has them, so that all say the same to the last
// digit.

/// In the order in which they are told.
inline constexpr std::array worst_first{verdict::slower, verdict::ambiguous, verdict::missing,
                                        verdict::faster, verdict::added,     verdict::same};
std::vector<const line*> lines_of(const report& answer, verdict found);

/// With its unit and four digits: "2.423 ms", "55.52 GB/s", "88.1 %".
std::string value_text(double value, const metric& judged_by);
/// "-" where there is none.
std::string value_text(const std::optional<double>& value, const metric& judged_by);

/// "real_time", "real_time of the fastest repetition".
std::string metric_text(const metric& judged_by);

/// A part as a percentage of about three digits: "3.12 %"; signed: "+3.12 %".
std::string percent_text(double part);
std::string signed_percent_text(double part);

/// What was asked for: "2 %".
std::string limit_text(double part);
std::string thresholds_text(const limits& allowed);

std::string p_text(double p);

/// "1 run", "3 runs"; `several` where the plural has no -s.
std::string counted(std::size_t count, const std::string& one, const std::string& several = "");

/// How wide a text is in a terminal, as far as characters are one column wide.
std::size_t columns_of(const std::string& text);

/// The figures of a benchmark as texts; "-" where there is none.
struct cells {
  std::string before, after;
  std::string slower_by;   ///< signed: negative when faster
  std::string p;           ///< that chance alone makes it look so slow
  std::string detectable;  ///< the slowdown that is found with a probability of 80 %
};
cells cells_of(const line& one, const metric& judged_by);

/// "PASS", "REGRESSION" or "INCONCLUSIVE".
std::string verdict_word(exit_code code);
/// The verdict with its reasons as one line.
std::string verdict_sentence(const report& answer);

/// What was compared with what, as one line.
std::string origin_sentence(const report& answer);
/// A verdict's name; "not judged" for what is missing only because there are too few runs.
std::string verdict_text(const report& answer, verdict found);
/// What stands above facts that differ.
std::string changed_title(const report& answer);
/// How many of the baseline's benchmarks no run has measured.
std::size_t not_measured(const report& answer, bool also_excused);

/// "the driver was ..., is ...", as one line without the key's meaning.
std::string changed_sentence(const changed_fact& one);
/// What a class of benchmarks has in common, as one line.
std::string class_sentence(const common_shift& one);
/// How many benchmarks have which verdict, as one line.
std::string counts_sentence(const report& answer);
/// In how many benchmarks noise would hide a slowdown of the threshold; empty where in none.
std::string advisory_sentence(const report& answer);

/// That too few benchmarks can show the threshold for a pass, as one line.
std::string too_little_sentence(const report& answer);

/// What stands for the device in titles: a GPU's name, "host device (no GPU)", "unknown device".
std::string device_text(const std::string& device, bool on_host);

/// Whether the answer is inconclusive for no other reason than too few runs: some benchmarks are
/// ambiguous, too few can show the threshold, or there are fewer runs than a verdict needs.
bool more_runs_may_tell(const report& answer);

}  // namespace bench_transfers::gate
