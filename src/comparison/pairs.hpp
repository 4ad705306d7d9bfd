#pragma once

#include <string>
#include <vector>

#include "src/comparison/compare.hpp"
#include "src/gate/judge/observe.hpp"

namespace bench_transfers::comparison {

/// One benchmark on one side.
struct measured_side {
  gate::history history;
  std::vector<double> repetitions;  ///< of all runs, as costs
  std::size_t runs = 0;             ///< that have a figure
  double centre = 0;                ///< of these, as a cost
  bool failed = false;
  bool has_few_repetitions = false;  ///< in any run
  bool has_other_procedure = false;  ///< than the first that has measured it
};

struct pair_of_sides {
  std::string name;
  measured_side first, second;
};

struct paired {
  std::vector<pair_of_sides> pairs;
  comparison::left_out left_out;
};
/// The benchmarks that both sides have measured alike, in order of their names, and why the others
/// are left out.
paired pairs_of(const side& first, const side& second);

}  // namespace bench_transfers::comparison
