#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/common/text.hpp"
#include "src/exports/answer.hpp"
#include "src/gate/judge/answer.hpp"

namespace bench_transfers::gate {

// Figures as texts, the same in every form of an answer.

std::vector<const finding*> findings_of(const report& answer, verdict result);

/// With four digits and the unit: "2.423 ms", "55.52 GB/s", "88.1 %". Only units of times, rates
/// and shares are shown: those of custom counters may be long.
std::string value_text(double value, const metric& judged_by);
/// "-" if there is no value.
std::string value_text(const std::optional<double>& value, const metric& judged_by);

/// The unit that value_text leaves out; may be empty.
std::string unit_left_out(const metric& judged_by);

/// A part as a percentage with about three digits: "3.12 %"; signed: "+3.12 %".
std::string percent_text(double part);
std::string signed_percent_text(double part);
/// Of a slowdown that would be found: of more than 100 %, that noise hides all others.
std::string detectable_text(double part);

/// A threshold or rate: "2 %".
std::string limit_text(double part);

std::string p_text(double p);

using common::counted;

/// The figures of a benchmark as texts; "-" if there is none.
struct cells {
  std::string before, after;
  std::string slower_by;   ///< signed: negative when faster
  std::string p;           ///< that chance alone makes it look so slow
  std::string detectable;  ///< the slowdown that is found with a probability of 80 %
};
cells cells_of(const finding& benchmark, const metric& judged_by);
/// The note of a benchmark without figures, and whether it is allowed to have none.
std::string why_text(const finding& benchmark);
/// The cells of several, with their notes.
exports::table table_of(const report& answer, const std::vector<const finding*>& findings);

}  // namespace bench_transfers::gate
