#pragma once

#include <string>
#include <vector>

#include "src/trust/measured.hpp"

namespace bench_transfers::trust {

/// How well repetitions agree; empty if that is not known.
struct noise {
  std::string verdict;  ///< "typically 0.12 %"
  std::string clause;   ///< the same within a sentence
};
noise noise_of(const std::vector<measured>& benchmarks);

}  // namespace bench_transfers::trust
