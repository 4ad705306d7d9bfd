#include "src/topology/infer/effects.hpp"

#include <algorithm>
#include <cmath>

#include "src/statistics/distributions.hpp"
#include "src/statistics/holm.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::topology {
namespace {

using statistics::square;

class weighing {
 public:
  weighing(const evidence& evidence, const prediction& current)
      : evidence_(evidence), predictor_(evidence), current_(current) {}

  /// What the sets in which a limit holds flows back say about it.
  [[nodiscard]] effect_of_limit effect_of(std::size_t index) const {
    const auto base = predictor_.without(current_, index);
    const auto& limit = current_.limits[index];
    double most = 0;
    for (std::size_t i = 0; i < base.sets.size(); ++i)
      most = std::max(most, predicted_effect(base, limit, i));
    effect_of_limit result;
    std::vector<double> sums;
    double lost = 0;
    double variance = 0;
    for (std::size_t i = 0; i < base.sets.size(); ++i) {
      const auto effect = predicted_effect(base, limit, i);
      if (effect <= 0 || effect < most / 2) continue;
      const auto& set = evidence_.sets()[i];
      const auto flows = limit.of(set.flows);
      const auto sum = set.rates.sum(flows);
      sums.push_back(sum);
      lost += 1 - sum / base.sets[i].rates.sum(flows);
      variance +=
          evidence_.noise().variance_of_sum(set.repetitions, static_cast<double>(flows.size()));
    }
    if (sums.empty()) return result;
    const auto count = static_cast<double>(sums.size());
    result.sets = sums.size();
    result.effect = lost / count;
    variance /= count;
    // What is lost compares with rates alone, which are as uncertain for all sets.
    const statistics::students_t student{evidence_.noise().degrees};
    const auto distance = result.effect / std::sqrt(variance / count + variance);
    result.p = student.above(distance);
    result.capacity = interval_of(sums, limit.capacity, variance / count);
    return result;
  }

 private:
  [[nodiscard]] double predicted_effect(const prediction& base, const limit& limit,
                                        std::size_t index) const {
    const auto total = base.sets[index].rates.sum(limit.of(evidence_.sets()[index].flows));
    return total > 0 ? 1 - limit.capacity / total : 0;
  }

  /// Student's interval: the standard error is that of the noise, or that of how the sets differ
  /// if that is larger.
  [[nodiscard]] statistics::estimate interval_of(const std::vector<double>& sums, double capacity,
                                                 double variance) const {
    const auto count = static_cast<double>(sums.size());
    double squares = 0;
    for (const auto sum : sums) squares += square(sum / capacity - 1);
    const auto scatter = count >= 3 ? squares / (count - 1) / count : 0;
    const auto degrees = scatter > variance ? count - 1 : evidence_.noise().degrees;
    const statistics::students_t student{degrees};
    const auto half =
        capacity * std::sqrt(std::max(scatter, variance)) * student.exceeded_by(0.025);
    return {capacity, capacity - half, capacity + half};
  }

  const evidence& evidence_;
  predictor predictor_;
  const prediction& current_;
};

}  // namespace

std::vector<effect_of_limit> effects_of(const evidence& evidence, const prediction& current,
                                        std::size_t first, std::size_t candidates) {
  const weighing weighed(evidence, current);
  std::vector<effect_of_limit> list;
  std::vector<double> p;
  for (std::size_t index = first; index < current.limits.size(); ++index) {
    list.push_back(weighed.effect_of(index));
    p.push_back(list.back().p);
  }
  p.resize(std::max(p.size(), candidates), 1);
  const auto adjusted = statistics::holm_adjusted(p);
  for (std::size_t i = 0; i < list.size(); ++i) list[i].p = adjusted[i];
  return list;
}

}  // namespace bench_transfers::topology
