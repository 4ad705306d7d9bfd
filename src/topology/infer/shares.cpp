#include "src/topology/infer/shares.hpp"

#include <algorithm>
#include <cmath>

#include "src/statistics/distributions.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::topology {
namespace {

using statistics::square;

/// Directions that a limit gives less different rates than these count as alike.
constexpr double least_unfair = 2 * least_effect;

/// What a set says about how a limit divides: the logarithm of what a flow from the host gets, as
/// a part of what one to the host gets. If the limit holds back one direction only, the other could
/// have more: then it is a bound.
struct division {
  double ratio, variance;
  bool bound;
};

direction_shares shares_of(double ratio) {
  const auto h2d = 1 / (1 + std::exp(-ratio));
  return {h2d, 1 - h2d};
}

struct fastest_flows {
  double rate = 0, flows = 0;  ///< mean rate, number
  bool is_held = false;        ///< slower than `base` predicts
};

/// What the sets of the evidence say about how limits divide.
class dividing {
 public:
  explicit dividing(const evidence& evidence)
      : evidence_(evidence), alike_(tolerances_of(evidence)) {}

  /// What each set says in which the limit is full and takes something off.
  [[nodiscard]] std::vector<division> divisions(const prediction& base, const limit& full) const {
    std::vector<division> list;
    for (std::size_t i = 0; i < base.sets.size(); ++i) {
      const auto& set = evidence_.sets()[i];
      const auto flows = full.of(set.flows);
      if (flows.h2d.empty() || flows.d2h.empty()) continue;
      // A device shows alone how its own link divides.
      if (full.devices.size() == 1 && set.flows != flows) continue;
      if (std::abs(set.rates.sum(flows) / full.capacity - 1) > 2 * alike_.alike_sums) continue;
      const auto h2d = fastest(set, base.sets[i].rates, {flows.h2d, {}});
      const auto d2h = fastest(set, base.sets[i].rates, {{}, flows.d2h});
      if (!h2d.is_held && !d2h.is_held) continue;
      const auto ratio = std::log(h2d.rate / d2h.rate);
      // A direction that is held back and faster than one that is not says nothing.
      const bool bound = !h2d.is_held || !d2h.is_held;
      if (bound && (ratio < 0) != h2d.is_held) continue;
      const auto& noise = evidence_.noise();
      list.push_back({ratio,
                      noise.variance_of_sum(set.repetitions, h2d.flows) +
                          noise.variance_of_sum(set.repetitions, d2h.flows),
                      bound});
    }
    return list;
  }

 private:
  /// The flows of the highest rate: only these may be held back by the limit that is looked at.
  [[nodiscard]] fastest_flows fastest(const measured_set& set, const per_flow& base,
                                      const flow_set& flows) const {
    double level = 0;
    for (const auto& flow : list_of(flows)) level = std::max(level, set.rates[flow]);
    fastest_flows result;
    double predicted = 0;
    for (const auto& flow : list_of(flows)) {
      if (set.rates[flow] < (1 - alike_.alike_rates) * level) continue;
      result.rate += set.rates[flow];
      predicted += base[flow];
      ++result.flows;
    }
    result.is_held = result.rate < (1 - least_effect / 2) * predicted;
    result.rate /= result.flows;
    return result;
  }

  const evidence& evidence_;
  tolerances alike_;
};

division strictest(const std::vector<division>& list) {
  return *std::ranges::max_element(list, {},
                                   [](const division& told) { return std::abs(told.ratio); });
}

}  // namespace

direction_shares shares_in(const evidence& evidence, const prediction& base, const limit& full) {
  if (full.kind != traffic::both) return {};
  auto list = dividing(evidence).divisions(base, full);
  if (std::ranges::any_of(list, [](const division& told) { return !told.bound; }))
    std::erase_if(list, [](const division& told) { return told.bound; });
  if (list.empty()) return {};
  if (list.front().bound) list = {strictest(list)};
  double ratio = 0;
  double variance = 0;
  const auto count = static_cast<double>(list.size());
  for (const auto& told : list) {
    ratio += told.ratio / count;
    variance += told.variance / count / count;
  }
  double scatter = 0;
  for (const auto& told : list) scatter += square(told.ratio - ratio);
  scatter = count >= 3 ? scatter / (count - 1) / count : 0;
  const auto degrees = scatter > variance ? count - 1 : evidence.noise().degrees;
  const statistics::students_t student{degrees};
  const auto distance = std::abs(ratio) / std::sqrt(std::max(scatter, variance));
  const auto p = 2 * student.above(distance);
  const bool is_fair = std::abs(ratio) < least_unfair || p >= significance;
  return is_fair ? direction_shares{} : shares_of(ratio);
}

}  // namespace bench_transfers::topology
