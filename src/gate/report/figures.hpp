#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/gate/judge/answer.hpp"

namespace bench_transfers::gate {

// Figures as every form of an answer has them, so that all say the same to the last digit.

std::vector<const finding*> findings_of(const report& answer, verdict found);

/// With its unit and four digits: "2.423 ms", "55.52 GB/s", "88.1 %"; without a unit that is none
/// of time, rates and shares: those of own counters may be long.
std::string value_text(double value, const metric& judged_by);
/// "-" where there is none.
std::string value_text(const std::optional<double>& value, const metric& judged_by);

/// The unit that value_text leaves out; may be empty.
std::string unit_left_out(const metric& judged_by);

/// A part as a percentage of about three digits: "3.12 %"; signed: "+3.12 %".
std::string percent_text(double part);
std::string signed_percent_text(double part);

/// What was asked for: "2 %".
std::string limit_text(double part);

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
cells cells_of(const finding& benchmark, const metric& judged_by);

}  // namespace bench_transfers::gate
