#pragma once

#include <set>
#include <vector>

#include "src/fleet/judge/baseline.hpp"
#include "src/fleet/judge/judge.hpp"
#include "src/fleet/judge/peers.hpp"

namespace bench_transfers::fleet {

/// What is to be judged, by what, and what follows from that.
struct question {
  const fleet::sweep& sweep;
  const fleet::settings& settings;
  std::set<aspect> aspects;   ///< of all classes
  std::vector<peers> models;  ///< peers_of the sweep
  const baseline* accepted;   ///< null: there is none

  /// What counts as slow in this class; null: it is not judged.
  [[nodiscard]] const class_criteria* criteria_in(benchmark_class kind) const;
  [[nodiscard]] bool decides(benchmark_class kind) const;
  /// The same, of a class that is judged, for so many tests of each model.
  [[nodiscard]] criteria criteria_in(benchmark_class kind, std::size_t tests) const;
  /// The aspects that are judged, class by class.
  [[nodiscard]] std::map<benchmark_class, std::vector<aspect>> judged_aspects() const;
  /// The benchmarks that are judged by themselves: none that is the only one of its aspect.
  [[nodiscard]] std::vector<std::size_t> single_benchmarks() const;
};

double as_part(double logarithm);
statistics::estimate as_part(const statistics::estimate& logarithm);

}  // namespace bench_transfers::fleet
