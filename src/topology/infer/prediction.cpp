#include "src/topology/infer/prediction.hpp"

#include <algorithm>
#include <cmath>

#include "src/statistics/square.hpp"

namespace bench_transfers::topology {

using statistics::square;

tolerances tolerances_of(const evidence& evidence) {
  const double repeated = evidence.sets().empty() ? 1 : evidence.sets().front().repetitions;
  const auto error = std::sqrt(2 * evidence.noise().variance(repeated));
  return {error, std::max(0.015, 2.5 * error), std::max(0.1, 3.5 * error)};
}

double huber(double distance) {
  constexpr double usual = 5;
  const auto size = std::abs(distance);
  return size <= usual ? size * size : usual * (2 * size - usual);
}

double predictor::misfit_of(const measured_set& set, const per_flow& predicted) const {
  const auto error = std::sqrt(evidence_.noise().variance(set.repetitions) + square(error_) / 4);
  double misfit = 0;
  const auto add = [&](device_set devices, direction direction) {
    for (auto rest = devices; !rest.empty(); rest = rest - device_set::of(rest.front())) {
      const flow flow{rest.front(), direction};
      const auto rate = predicted[flow];
      if (rate > 0) misfit += huber((set.rates[flow] / rate - 1) / error);
    }
  };
  add(set.flows.h2d, direction::h2d);
  add(set.flows.d2h, direction::d2h);
  return misfit;
}

filled predictor::filled_in(std::size_t index, const std::vector<limit>& limits) const {
  const auto& flows = evidence_.sets()[index].flows;
  const bool drifted = !(flows.devices() & evidence_.drifting()).empty();
  return fill(drifted ? evidence_.limits_in(index, limits) : limits, evidence_.devices(), flows);
}

void predictor::predict_set(prediction& predicted, std::size_t index) const {
  const auto& set = evidence_.sets()[index];
  predicted.sets[index] = filled_in(index, predicted.limits);
  predicted.misfit -= predicted.misfits[index];
  predicted.misfits[index] = misfit_of(set, predicted.sets[index].rates);
  predicted.misfit += predicted.misfits[index];
}

prediction predictor::predict(const std::vector<limit>& limits) const {
  const auto count = evidence_.sets().size();
  prediction predicted{limits, std::vector<filled>(count), std::vector<double>(count), 0};
  for (std::size_t i = 0; i < count; ++i) predict_set(predicted, i);
  return predicted;
}

/// Sets in which the limit held nothing back stay as they are.
prediction predictor::without(const prediction& whole, std::size_t removed) const {
  auto rest = whole;
  rest.limits.erase(rest.limits.begin() + static_cast<std::ptrdiff_t>(removed));
  for (std::size_t i = 0; i < rest.sets.size(); ++i) {
    auto& held = rest.sets[i].flows;
    const bool matters = held[removed].size() > 0;
    held.erase(held.begin() + static_cast<std::ptrdiff_t>(removed));
    if (matters) predict_set(rest, i);
  }
  return rest;
}

/// Sets in which its flows have less stay as they are.
double predictor::misfit_with(const prediction& base, const limit& added) const {
  auto limits = base.limits;
  limits.push_back(added);
  double misfit = base.misfit;
  for (std::size_t i = 0; i < base.sets.size(); ++i) {
    const auto& set = evidence_.sets()[i];
    if (base.sets[i].rates.sum(added.of(set.flows)) <= added.capacity) continue;
    misfit -= base.misfits[i];
    misfit += misfit_of(set, filled_in(i, limits).rates);
  }
  return misfit;
}

}  // namespace bench_transfers::topology
