#include "src/topology/infer/moves.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "src/topology/infer/effects.hpp"
#include "src/topology/infer/shares.hpp"

namespace bench_transfers::topology {
namespace {

/// What a changed limit must take off the misfit.
constexpr double worth_a_change = 6;
/// So many times what devices lost while most of them drifted, a link must take off.
constexpr double common_drift_margin = 1.25;
constexpr std::size_t most_limits = 3 * most_devices;

/// The totals of the sets in which the limit holds flows back, and nothing else may explain them: a
/// device's own link gives what it gives alone, and no link gives less than it once gave.
std::vector<double> full_totals(const search& search, const prediction& current,
                                std::size_t index) {
  std::vector<double> totals;
  for (std::size_t i = 0; i < current.sets.size(); ++i) {
    if (current.sets[i].flows[index].size() == 0) continue;
    const auto& set = search.evidence.sets()[i];
    totals.push_back(set.rates.sum(current.limits[index].of(set.flows)));
  }
  if (totals.empty()) return totals;
  const auto alike = search.alike.alike_sums;
  const auto most = *std::ranges::max_element(totals);
  std::erase_if(totals, [&](double total) {
    if (index < search.own.size()) return std::abs(total / search.own[index].capacity - 1) >= alike;
    return total < (1 - 2 * alike) * most;
  });
  return totals;
}

/// How a limit divides.
prediction divided(const search& search, prediction current, std::size_t index) {
  if (current.limits[index].kind != traffic::both) return current;
  auto limits = current.limits;
  const auto base = search.predictor.without(current, index);
  const auto shares = shares_in(search.evidence, base, limits[index]);
  if (shares.are_fair() && limits[index].shares.are_fair()) return current;
  limits[index].shares = {};
  auto fair = search.predictor.predict(limits);
  limits[index].shares = shares;
  auto unfair = search.predictor.predict(limits);
  return unfair.misfit < fair.misfit - worth_a_limit ? unfair : fair;
}

/// With another limit in the place of this one.
std::optional<prediction> exchange_limit(const search& search, const prediction& current,
                                         std::size_t index) {
  const auto base = search.predictor.without(current, index);
  auto best = best_addition(search, base);
  for (const auto& near : neighbours(search, base, current.limits[index])) {
    const auto misfit = search.predictor.misfit_with(base, near);
    if (!best || misfit < best->misfit) best = {near, misfit};
  }
  if (!best || best->misfit > current.misfit - worth_a_change) return std::nullopt;
  auto limits = base.limits;
  limits.insert(limits.begin() + static_cast<std::ptrdiff_t>(index), best->limit);
  auto exchanged = refined(search, std::move(limits));
  if (exchanged.misfit > current.misfit - worth_a_change) return std::nullopt;
  return exchanged;
}

/// Whether it leaves more than twice what noise alone makes of all flows.
bool leaves_much(const search& search, const prediction& current) {
  double flows = 0;
  for (const auto& set : search.evidence.sets()) flows += static_cast<double>(set.flows.size());
  return current.misfit >= 2 * flows;
}

/// The limits with the device put into this set and those around it, or taken out of it and those
/// inside.
std::vector<limit> with_moved(const search& search, const prediction& current, device_set set,
                              device_set device) {
  const auto own = search.own.size();
  std::vector<limit> limits(current.limits.begin(),
                            current.limits.begin() + static_cast<std::ptrdiff_t>(own));
  for (std::size_t index = own; index < current.limits.size(); ++index) {
    auto limit = current.limits[index];
    const auto before = limit.devices;
    if (!set.contains(device) && before.contains(set)) limit.devices = before | device;
    if (set.contains(device) && set.contains(before)) limit.devices = before - device;
    if (limit.devices.size() < 2) continue;
    if (limit.devices != before) limit.capacity = search.evidence.most(limit);
    limits.push_back(limit);
  }
  return limits;
}

}  // namespace

prediction divided(const search& search, prediction current) {
  for (std::size_t index = 0; index < current.limits.size(); ++index)
    current = divided(search, std::move(current), index);
  return current;
}

prediction refined(const search& search, std::vector<limit> limits) {
  auto current = search.predictor.predict(limits);
  for (int iteration = 0; iteration < 2; ++iteration) {
    for (std::size_t index = 0; index < limits.size(); ++index)
      if (const auto totals = full_totals(search, current, index); !totals.empty())
        limits[index].capacity =
            std::accumulate(totals.begin(), totals.end(), 0.0) / static_cast<double>(totals.size());
    current = divided(search, search.predictor.predict(limits));
    limits = current.limits;
  }
  return current;
}

std::optional<prediction> add_limit(const search& search, const prediction& current) {
  if (current.limits.size() >= most_limits) return std::nullopt;
  const auto best = best_addition(search, current);
  if (!best || current.misfit - best->misfit < worth_a_limit) return std::nullopt;
  auto limits = current.limits;
  limits.push_back(best->limit);
  return refined(search, std::move(limits));
}

prediction filled_up(const search& search, prediction current) {
  while (auto more = add_limit(search, current)) current = std::move(*more);
  return current;
}

std::optional<prediction> exchange_limits(const search& search, const prediction& current) {
  std::optional<prediction> best;
  for (std::size_t index = search.own.size(); index < current.limits.size(); ++index)
    if (auto better = exchange_limit(search, best ? *best : current, index))
      best = std::move(better);
  return best;
}

std::optional<prediction> move_device(const search& search, const prediction& current) {
  if (!leaves_much(search, current)) return std::nullopt;
  std::set<device_set> sets;
  for (std::size_t index = search.own.size(); index < current.limits.size(); ++index)
    sets.insert(current.limits[index].devices);
  std::optional<std::vector<limit>> best;
  double least = current.misfit - worth_a_limit;
  for (const auto set : sets) {
    for (const auto device : search.evidence.seen().members()) {
      auto limits = with_moved(search, current, set, device_set::of(device));
      const auto misfit = search.predictor.predict(limits).misfit;
      if (misfit >= least) continue;
      least = misfit;
      best = std::move(limits);
    }
  }
  if (!best) return std::nullopt;
  return refined(search, std::move(*best));
}

std::optional<prediction> replace_crossed(const search& search, const prediction& current) {
  if (!leaves_much(search, current)) return std::nullopt;
  const auto added = best_addition(search, current, true);
  if (!added) return std::nullopt;
  auto limits = current.limits;
  std::erase_if(limits, [&](const limit& other) { return !go_together(other, added->limit); });
  limits.push_back(added->limit);
  auto replaced = filled_up(search, refined(search, std::move(limits)));
  if (replaced.misfit >= current.misfit - worth_a_change) return std::nullopt;
  return replaced;
}

std::optional<prediction> remove_limits(const search& search, const prediction& current) {
  const auto least = std::max(least_effect, common_drift_margin * search.evidence.common_drift());
  const auto first = search.own.size();
  std::optional<prediction> rest;
  for (;;) {
    const auto& whole = rest ? *rest : current;
    const auto list = effects_of(search.evidence, whole, first, search.possible.size());
    std::optional<std::size_t> worst;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const bool required = list[i].p < significance && list[i].effect >= least;
      if (!required && (!worst || list[i].effect < list[*worst].effect)) worst = i;
    }
    if (!worst) return rest;
    rest = refined(search, search.predictor.without(whole, first + *worst).limits);
  }
}

}  // namespace bench_transfers::topology
