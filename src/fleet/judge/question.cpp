#include "src/fleet/judge/question.hpp"

#include <cmath>
#include <iterator>

#include "src/fleet/judge/scores.hpp"

namespace bench_transfers::fleet {

const class_criteria* question::criteria_in(benchmark_class kind) const {
  const auto found = settings.classes.find(kind);
  return found == settings.classes.end() ? nullptr : &found->second;
}

bool question::decides(benchmark_class kind) const {
  const auto* chosen = criteria_in(kind);
  return chosen && chosen->decides;
}

criteria question::criteria_in(benchmark_class kind, std::size_t tests) const {
  // Beside peers of each scope; beside a baseline of GPUs, and of all that is wider.
  constexpr std::size_t shares = std::size(every_scope) + 2;
  const auto& chosen = settings.classes.at(kind);
  return {std::log1p(chosen.threshold),
          settings.false_alarm / static_cast<double>(models.size() * tests * shares),
          chosen.expected};
}

std::map<benchmark_class, std::vector<aspect>> question::judged_aspects() const {
  std::map<benchmark_class, std::vector<aspect>> classes;
  for (const auto& aspect : aspects)
    if (criteria_in(aspect.kind)) classes[aspect.kind].push_back(aspect);
  return classes;
}

std::vector<std::size_t> question::single_benchmarks() const {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < sweep.benchmarks.size(); ++i)
    if (criteria_in(sweep.benchmarks[i].aspect.kind) &&
        benchmarks_of(sweep, sweep.benchmarks[i].aspect).size() > 1)
      list.push_back(i);
  return list;
}

double as_part(double logarithm) { return std::expm1(logarithm); }

statistics::estimate as_part(const statistics::estimate& logarithm) {
  return {as_part(logarithm.value), as_part(logarithm.low), as_part(logarithm.high)};
}

}  // namespace bench_transfers::fleet
