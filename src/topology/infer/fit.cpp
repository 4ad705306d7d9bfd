#include "src/topology/infer/fit.hpp"

#include <cstddef>
#include <utility>

#include "src/topology/infer/effects.hpp"
#include "src/topology/infer/moves.hpp"

namespace bench_transfers::topology {
namespace {

constexpr int most_rounds = 6;
/// A misfit that is larger by less leaves a doubt.
constexpr double doubtful = 12;

/// Moves until none explains more.
prediction best_explanation(const search& search) {
  auto current = divided(search, search.predictor.predict(search.own));
  for (int round = 0; round < most_rounds; ++round) {
    const auto before = current.misfit;
    current = filled_up(search, std::move(current));
    bool changed = false;
    for (const auto& move : {exchange_limits, move_device, replace_crossed, remove_limits})
      if (auto better = move(search, current)) {
        current = std::move(*better);
        changed = true;
      }
    if (!changed && current.misfit >= before) break;
  }
  return current;
}

/// The limits that might be in the place of one of them.
std::vector<doubt> doubts_about(const search& search, const prediction& best) {
  std::vector<doubt> doubts;
  for (std::size_t index = search.own.size(); index < best.limits.size(); ++index) {
    const auto base = search.predictor.without(best, index);
    for (const auto& near : neighbours(search, base, best.limits[index]))
      if (search.predictor.misfit_with(base, near) < best.misfit + doubtful)
        doubts.push_back({index - search.own.size(), near});
  }
  return doubts;
}

}  // namespace

std::vector<limit> fit::limits() const {
  auto list = own;
  for (const auto& fitted : shared) list.push_back(fitted.limit);
  return list;
}

fit explain(const evidence& evidence, const std::vector<device_set>& hints) {
  const search search(evidence, hints);
  const auto best = best_explanation(search);
  const auto shared = best.limits.begin() + static_cast<std::ptrdiff_t>(search.own.size());
  fit result{evidence.devices(), {best.limits.begin(), shared}, {}, doubts_about(search, best)};
  const auto effects = effects_of(evidence, best, search.own.size(), search.possible.size());
  for (std::size_t i = 0; i < effects.size(); ++i)
    result.shared.push_back({shared[static_cast<std::ptrdiff_t>(i)], effects[i].capacity,
                             effects[i].effect, effects[i].p, effects[i].sets});
  return result;
}

}  // namespace bench_transfers::topology
