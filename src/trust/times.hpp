#pragma once

#include <string>
#include <vector>

#include "src/trust/judgement.hpp"
#include "src/trust/measured.hpp"

namespace bench_transfers::trust {

// What times say.

/// How well repetitions agree.
struct noise {
  trust::finding finding;
  std::string verdict = {};  ///< "typically 0.12 %"; empty if it is not known
  std::string clause = {};   ///< the same within a sentence
};
noise noise_of(const std::vector<measured>& benchmarks);

/// The fastest copy of each direction beside what the link can carry.
std::vector<finding> about_rates(const result_file::contents& read,
                                 const std::vector<measured>& benchmarks);

/// What both directions at once reach: one finding, or none if that was not measured.
std::vector<finding> about_both_ways(const std::vector<measured>& benchmarks);

/// Of plain transfers, and of round trips of arrays.
std::vector<choice> choices_in(const std::vector<measured>& benchmarks);

}  // namespace bench_transfers::trust
