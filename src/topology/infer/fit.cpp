#include "src/topology/infer/fit.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "src/topology/infer/effects.hpp"
#include "src/topology/infer/prediction.hpp"
#include "src/topology/infer/shares.hpp"

namespace bench_transfers::topology {
namespace {

/// What a further limit must take off the misfit, a changed one, and what leaves a doubt.
constexpr double worth_a_limit = 25;
constexpr double worth_a_change = 6;
constexpr double doubtful = 12;
/// So many times what devices lost while most of them drifted, a link must take off.
constexpr double common_drift_margin = 1.25;
constexpr std::size_t most_limits = 3 * most_devices;
constexpr std::size_t tried_exactly = 8;

/// A limit that may be, with the total of its flows in each set.
struct candidate {
  topology::limit limit;
  double preference = 1;
  std::vector<double> sums;
  double most = 0;
};

bool is_range(device_set set) {
  const auto first = set.front();
  return set == device_set::up_to(first + set.size()) - device_set::up_to(first);
}

class fitting {
 public:
  fitting(const evidence& evidence, const std::vector<device_set>& hints)
      : evidence_(evidence),
        hints_(hints),
        predictor_(evidence),
        alike_(tolerances_of(evidence)),
        least_effect_(std::max(least_effect, common_drift_margin * evidence.common_drift())) {
    for (const auto set : candidate_sets(evidence, hints))
      for (const auto kind : every_traffic) candidates_.push_back(candidate_of({set, kind, 0}));
  }

  fit run() {
    set_own_limits();
    current_ = predictor_.predict(own_);
    divide();
    for (int round = 0; round < 6; ++round) {
      const auto before = current_.misfit;
      while (current_.limits.size() < most_limits && add()) {
      }
      bool changed = exchange();
      changed = move_devices() || changed;
      changed = cross() || changed;
      const bool removed = remove();
      if (!changed && !removed && current_.misfit >= before) break;
    }
    return result();
  }

 private:
  [[nodiscard]] candidate candidate_of(const limit& limit) const {
    candidate result{limit, 1, {}, 0};
    for (const auto& set : evidence_.sets())
      result.sums.push_back(set.rates.sum(limit.of(set.flows)));
    for (const auto sum : result.sums) result.most = std::max(result.most, sum);
    const bool hinted = std::ranges::find(hints_, limit.devices) != hints_.end();
    result.preference = hinted ? 1.04 : is_range(limit.devices) ? 1.02 : 1;
    return result;
  }

  /// A device's rates alone, the last of them if they drift; where it was not measured alone, the
  /// most that it ever had.
  void set_own_limits() {
    for (std::size_t device = 0; device < evidence_.devices(); ++device) {
      double directions = 0;
      for (const auto kind : every_traffic) {
        limit own{device_set::of(device), kind, 0};
        own.capacity = evidence_.rate_alone(device, kind);
        if (own.capacity <= 0) own.capacity = evidence_.most(own);
        if (kind != traffic::both) directions += own.capacity;
        if (kind == traffic::both && own.capacity >= (1 - alike_.alike_sums) * directions) continue;
        own_.push_back(own);
      }
    }
  }

  /// How much of what `base` leaves unexplained the candidate may explain: flows that are slower
  /// than predicted, at the highest rate of a limit that is full.
  [[nodiscard]] double promise(const prediction& base, const candidate& candidate) const {
    double promise = 0;
    for (std::size_t i = 0; i < candidate.sums.size(); ++i) {
      if (base.misfits[i] < 4 || candidate.sums[i] < (1 - alike_.alike_sums) * candidate.most)
        continue;
      const auto& set = evidence_.sets()[i];
      const auto held = candidate.limit.of(set.flows);
      if (held.devices().size() < 2) continue;
      const auto flows = list_of(held);
      direction_shares levels{0, 0};
      for (const auto& flow : flows) {
        auto& level = flow.direction == direction::h2d ? levels.h2d : levels.d2h;
        level = std::max(level, set.rates[flow]);
      }
      for (const auto& flow : flows) {
        const auto lost = 1 - set.rates[flow] / base.sets[i].rates[flow];
        if (set.rates[flow] >= (1 - alike_.alike_rates) * levels.of(flow.direction) &&
            lost > least_effect / 2)
          promise += huber(lost / alike_.error);
      }
    }
    return promise;
  }

  /// The mean total of the sets in which the candidate is full and `base` predicts more.
  [[nodiscard]] double capacity_of(const prediction& base, const candidate& candidate) const {
    double total = 0;
    double count = 0;
    for (std::size_t i = 0; i < candidate.sums.size(); ++i) {
      const auto sum = candidate.sums[i];
      if (sum < (1 - alike_.alike_sums) * candidate.most) continue;
      const auto predicted = base.sets[i].rates.sum(candidate.limit.of(evidence_.sets()[i].flows));
      if (sum > (1 - least_effect / 2) * predicted) continue;
      total += sum;
      ++count;
    }
    return count > 0 ? total / count : 0;
  }

  [[nodiscard]] static bool fits_in(const prediction& base, const limit& added) {
    return std::ranges::all_of(base.limits, [&](const limit& other) {
      return nested_or_apart(other.devices, added.devices) &&
             (other.devices != added.devices || other.kind != added.kind);
    });
  }

  /// The limit that explains most of what `base` leaves, and the misfit with it.
  [[nodiscard]] std::pair<std::optional<limit>, double> best_addition(const prediction& base,
                                                                      bool crossing = false) const {
    std::vector<std::pair<double, const candidate*>> promising;
    for (const auto& candidate : candidates_) {
      const auto promised = promise(base, candidate);
      if (promised > worth_a_limit / 2 && fits_in(base, candidate.limit) != crossing)
        promising.emplace_back(promised * candidate.preference, &candidate);
    }
    const auto tried = std::min(promising.size(), tried_exactly);
    std::ranges::partial_sort(promising, promising.begin() + static_cast<std::ptrdiff_t>(tried),
                              std::greater{}, &std::pair<double, const candidate*>::first);
    std::optional<limit> best;
    double best_misfit = base.misfit;
    double best_gain = 0;
    for (std::size_t i = 0; i < tried; ++i) {
      const auto& candidate = *promising[i].second;
      auto limit = candidate.limit;
      limit.capacity = capacity_of(base, candidate);
      if (limit.capacity <= 0) continue;
      auto misfit = predictor_.misfit_with(base, limit);
      if (const auto shares = shares_in(evidence_, base, limit); !shares.are_fair()) {
        auto unfair = limit;
        unfair.shares = shares;
        const auto unfair_misfit = predictor_.misfit_with(base, unfair);
        if (unfair_misfit < misfit - worth_a_limit) {
          limit = unfair;
          misfit = unfair_misfit;
        }
      }
      const auto gain = (base.misfit - misfit) * candidate.preference;
      if (gain <= best_gain) continue;
      best_gain = gain;
      best_misfit = misfit;
      best = limit;
    }
    return {best, best_misfit};
  }

  bool add() {
    const auto [limit, misfit] = best_addition(current_);
    if (!limit || current_.misfit - misfit < worth_a_limit) return false;
    auto limits = current_.limits;
    limits.push_back(*limit);
    refine(limits);
    return true;
  }

  /// Sets each capacity to the mean total of the sets in which the limit holds flows back.
  void refine(std::vector<limit> limits) {
    current_ = predictor_.predict(limits);
    for (int iteration = 0; iteration < 2; ++iteration) {
      for (std::size_t index = 0; index < limits.size(); ++index) {
        const auto sums = totals_held_back(index);
        if (sums.empty()) continue;
        double total = 0;
        double count = 0;
        for (const auto sum : sums) {
          if (!is_full(index, sum, sums)) continue;
          total += sum;
          ++count;
        }
        if (count == 0) continue;
        limits[index].capacity = total / count;
      }
      current_ = predictor_.predict(limits);
      divide();
      limits = current_.limits;
    }
  }

  void divide() {
    for (std::size_t index = 0; index < current_.limits.size(); ++index) divide(index);
  }

  /// Lets a limit divide unfairly if that explains more, and otherwise not.
  void divide(std::size_t index) {
    if (current_.limits[index].kind != traffic::both) return;
    const auto base = predictor_.without(current_, index);
    auto limits = current_.limits;
    const auto shares = shares_in(evidence_, base, limits[index]);
    if (shares.are_fair() && limits[index].shares.are_fair()) return;
    limits[index].shares = {};
    auto fair = predictor_.predict(limits);
    limits[index].shares = shares;
    auto unfair = predictor_.predict(limits);
    current_ = unfair.misfit < fair.misfit - worth_a_limit ? std::move(unfair) : std::move(fair);
  }

  /// Leaves out totals that something else may explain: a device's own link gives what it gives
  /// alone, and no link gives less than it once gave.
  [[nodiscard]] bool is_full(std::size_t index, double sum, const std::vector<double>& sums) const {
    if (index < own_.size()) return std::abs(sum / own_[index].capacity - 1) < alike_.alike_sums;
    return sum >= (1 - 2 * alike_.alike_sums) * *std::ranges::max_element(sums);
  }

  [[nodiscard]] std::vector<double> totals_held_back(std::size_t index) const {
    std::vector<double> sums;
    for (std::size_t i = 0; i < current_.sets.size(); ++i) {
      if (current_.sets[i].flows[index].size() == 0) continue;
      const auto& set = evidence_.sets()[i];
      sums.push_back(set.rates.sum(current_.limits[index].of(set.flows)));
    }
    return sums;
  }

  /// Puts other limits in the place of those whose places others fill better.
  bool exchange() {
    bool changed = false;
    for (std::size_t index = own_.size(); index < current_.limits.size(); ++index) {
      const auto base = predictor_.without(current_, index);
      auto [best, misfit] = best_addition(base);
      for (const auto& near : neighbours(base, current_.limits[index])) {
        const auto near_misfit = predictor_.misfit_with(base, near);
        if (best && near_misfit >= misfit) continue;
        best = near;
        misfit = near_misfit;
      }
      if (!best || misfit > current_.misfit - worth_a_change) continue;
      auto limits = base.limits;
      limits.insert(limits.begin() + static_cast<std::ptrdiff_t>(index), *best);
      const auto kept = current_;
      refine(std::move(limits));
      if (current_.misfit > kept.misfit - worth_a_change) {
        current_ = kept;
        continue;
      }
      changed = true;
    }
    return changed;
  }

  /// The limit with a device more or less, or with all devices of another limit, or for other
  /// flows of the same devices; where `base` leaves something for it to explain.
  [[nodiscard]] std::vector<limit> neighbours(const prediction& base, const limit& near) const {
    std::set<device_set> toggled;
    for (const auto device : evidence_.seen().members()) toggled.insert(device_set::of(device));
    for (const auto& other : base.limits) toggled.insert(other.devices);
    std::vector<limit> list;
    const auto add = [&](device_set devices, traffic kind) {
      if (devices.size() < 2) return;
      auto other = candidate_of({devices, kind, 0});
      if (!fits_in(base, other.limit)) return;
      other.limit.capacity = capacity_of(base, other);
      if (kind == near.kind) other.limit.shares = near.shares;
      if (other.limit.capacity > 0) list.push_back(other.limit);
    };
    for (const auto devices : toggled) {
      if ((near.devices & devices).empty()) add(near.devices | devices, near.kind);
      if (near.devices.contains(devices)) add(near.devices - devices, near.kind);
    }
    for (const auto kind : every_traffic)
      if (kind != near.kind) add(near.devices, kind);
    return list;
  }

  /// A device more or less in several limits at once, because they must stay nested.
  bool move_devices() {
    if (current_.misfit < most_usual_misfit()) return false;
    std::set<device_set> sets;
    for (std::size_t index = own_.size(); index < current_.limits.size(); ++index)
      sets.insert(current_.limits[index].devices);
    std::optional<std::vector<limit>> best;
    double least = current_.misfit - worth_a_limit;
    for (const auto set : sets) {
      for (const auto device : evidence_.seen().members()) {
        const auto limits = with_moved(set, device_set::of(device));
        const auto misfit = predictor_.predict(limits).misfit;
        if (misfit >= least) continue;
        least = misfit;
        best = limits;
      }
    }
    if (!best) return false;
    refine(std::move(*best));
    return true;
  }

  /// Puts the limit that explains most of the rest in the place of those that it crosses, if that
  /// and what follows explain more.
  bool cross() {
    if (current_.misfit < most_usual_misfit()) return false;
    const auto [added, misfit] = best_addition(current_, true);
    if (!added) return false;
    const auto before = current_;
    auto limits = current_.limits;
    // clang captures no structured bindings.
    std::erase_if(limits, [&added = added](const limit& other) {
      return !nested_or_apart(other.devices, added->devices) ||
             (other.devices == added->devices && other.kind == added->kind);
    });
    limits.push_back(*added);
    refine(std::move(limits));
    while (current_.limits.size() < most_limits && add()) {
    }
    if (current_.misfit < before.misfit - worth_a_change) return true;
    current_ = before;
    return false;
  }

  /// Twice what noise alone makes of all flows.
  [[nodiscard]] double most_usual_misfit() const {
    double flows = 0;
    for (const auto& set : evidence_.sets()) flows += static_cast<double>(set.flows.size());
    return 2 * flows;
  }

  /// The limits with the device put into this set and those around it, or taken out of it and those
  /// inside.
  [[nodiscard]] std::vector<limit> with_moved(device_set set, device_set device) const {
    std::vector<limit> limits;
    for (std::size_t index = 0; index < current_.limits.size(); ++index) {
      auto limit = current_.limits[index];
      const auto before = limit.devices;
      if (index >= own_.size() && !set.contains(device) && before.contains(set))
        limit.devices = before | device;
      if (index >= own_.size() && set.contains(device) && set.contains(before))
        limit.devices = before - device;
      if (index >= own_.size() && limit.devices.size() < 2) continue;
      if (limit.devices != before) limit.capacity = evidence_.most(limit);
      limits.push_back(limit);
    }
    return limits;
  }

  /// Removes the limits that the evidence does not require, the least certain first.
  bool remove() {
    bool removed = false;
    for (;;) {
      const auto list = effects_of(evidence_, current_, own_.size(), candidates_.size());
      std::optional<std::size_t> worst;
      for (std::size_t i = 0; i < list.size(); ++i) {
        const bool required = list[i].p < significance && list[i].effect >= least_effect_;
        if (!required && (!worst || list[i].effect < list[*worst].effect)) worst = i;
      }
      if (!worst) return removed;
      refine(predictor_.without(current_, own_.size() + *worst).limits);
      removed = true;
    }
  }

  [[nodiscard]] fit result() const {
    fit result;
    result.devices = evidence_.devices();
    const auto shared = current_.limits.begin() + static_cast<std::ptrdiff_t>(own_.size());
    result.own.assign(current_.limits.begin(), shared);
    const auto list = effects_of(evidence_, current_, own_.size(), candidates_.size());
    for (std::size_t i = 0; i < list.size(); ++i)
      result.shared.push_back({current_.limits[own_.size() + i], list[i].capacity, list[i].effect,
                               list[i].p, list[i].sets});
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto base = predictor_.without(current_, own_.size() + i);
      for (const auto& near : neighbours(base, current_.limits[own_.size() + i]))
        if (predictor_.misfit_with(base, near) < current_.misfit + doubtful)
          result.doubts.push_back({i, near});
    }
    return result;
  }

  const evidence& evidence_;
  const std::vector<device_set>& hints_;
  predictor predictor_;
  tolerances alike_;
  double least_effect_;  ///< more than what a change of the whole host looks like
  std::vector<candidate> candidates_;
  std::vector<limit> own_;
  prediction current_;
};

}  // namespace

std::vector<limit> fit::limits() const {
  auto list = own;
  for (const auto& fitted : shared) list.push_back(fitted.limit);
  return list;
}

fit explain(const evidence& evidence, const std::vector<device_set>& hints) {
  return fitting(evidence, hints).run();
}

}  // namespace bench_transfers::topology
