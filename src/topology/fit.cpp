#include "src/topology/fit.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <optional>
#include <set>

#include "src/statistics/holm.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::topology {
namespace {

using statistics::square;

constexpr double significance = 0.01;
/// From so many standard errors on, the distance of a flow counts linearly, not squared (Huber
/// 1964): a set that nothing explains must not decide about all others.
constexpr double usual_distance = 5;

constexpr double huber(double distance) {
  const auto size = distance < 0 ? -distance : distance;
  return size <= usual_distance ? size * size : usual_distance * (2 * size - usual_distance);
}

/// What a further limit must take off the misfit, a changed one, and what leaves a doubt.
constexpr double worth_a_limit = 25;
constexpr double worth_a_change = 6;
constexpr double doubtful = 12;
/// Directions that a limit gives less different rates than these count as alike.
constexpr double least_unfair = 2 * least_effect;
constexpr std::size_t most_limits = 3 * most_devices;
constexpr std::size_t tried_exactly = 8;

/// What a set of limits predicts for all sets measured.
struct prediction {
  std::vector<limit> limits;
  std::vector<filled> sets;
  std::vector<double> misfits;
  double misfit = 0;
};

/// A limit that may be, with the total of its flows in each set.
struct candidate {
  topology::limit limit;
  double preference = 1;
  std::vector<double> sums;
  double most = 0;
};

struct effect_of_limit {
  statistics::estimate capacity;
  double effect = 0, p = 1;
  std::size_t sets = 0;
};

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

bool is_range(device_set set) {
  const auto first = set.front();
  return set == device_set::up_to(first + set.size()) - device_set::up_to(first);
}

class fitting {
 public:
  fitting(const evidence& evidence, const std::vector<device_set>& hints)
      : evidence_(evidence), hints_(hints) {
    const double repeated = evidence.sets().empty() ? 1 : evidence.sets().front().repetitions;
    error_ = std::sqrt(2 * evidence.noise().variance(repeated));
    alike_sums_ = std::max(0.015, 2.5 * error_);
    alike_rates_ = std::max(0.1, 3.5 * error_);
    for (const auto set : candidate_sets(evidence, hints))
      for (const auto kind : every_traffic) candidates_.push_back(candidate_of({set, kind, 0}));
  }

  fit run() {
    set_own_limits();
    current_ = predict(own_);
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

  /// A device's rates alone; where it was not measured alone, the most that it ever had.
  void set_own_limits() {
    for (std::size_t device = 0; device < evidence_.devices(); ++device) {
      double directions = 0;
      for (const auto kind : every_traffic) {
        limit own{device_set::of(device), kind, 0};
        const auto flows = flows_of(own.devices, kind);
        double total = 0;
        double sets = 0;
        for (const auto& set : evidence_.sets()) {
          if (set.flows != flows) continue;
          total += set.rates.sum(flows);
          ++sets;
        }
        own.capacity = sets > 0 ? total / sets : evidence_.most(own);
        if (kind != traffic::both) directions += own.capacity;
        if (kind == traffic::both && own.capacity >= (1 - alike_sums_) * directions) continue;
        own_.push_back(own);
      }
    }
  }

  [[nodiscard]] double misfit_of(const measured_set& set, const per_flow& predicted) const {
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

  void predict_set(prediction& predicted, std::size_t index) const {
    const auto& set = evidence_.sets()[index];
    predicted.sets[index] = fill(predicted.limits, evidence_.devices(), set.flows);
    predicted.misfit -= predicted.misfits[index];
    predicted.misfits[index] = misfit_of(set, predicted.sets[index].rates);
    predicted.misfit += predicted.misfits[index];
  }

  [[nodiscard]] prediction predict(const std::vector<limit>& limits) const {
    const auto count = evidence_.sets().size();
    prediction predicted{limits, std::vector<filled>(count), std::vector<double>(count), 0};
    for (std::size_t i = 0; i < count; ++i) predict_set(predicted, i);
    return predicted;
  }

  /// Sets in which the limit held nothing back stay as they are.
  [[nodiscard]] prediction without(const prediction& whole, std::size_t removed) const {
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

  /// The misfit with one limit more. Sets in which its flows have less stay as they are.
  [[nodiscard]] double misfit_with(const prediction& base, const limit& added) const {
    auto limits = base.limits;
    limits.push_back(added);
    double misfit = base.misfit;
    for (std::size_t i = 0; i < base.sets.size(); ++i) {
      const auto& set = evidence_.sets()[i];
      if (base.sets[i].rates.sum(added.of(set.flows)) <= added.capacity) continue;
      misfit -= base.misfits[i];
      misfit += misfit_of(set, fill(limits, evidence_.devices(), set.flows).rates);
    }
    return misfit;
  }

  /// How much of what `base` leaves unexplained the candidate may explain: flows that are slower
  /// than predicted, at the highest rate of a limit that is full.
  [[nodiscard]] double promise(const prediction& base, const candidate& candidate) const {
    double promise = 0;
    for (std::size_t i = 0; i < candidate.sums.size(); ++i) {
      if (base.misfits[i] < 4 || candidate.sums[i] < (1 - alike_sums_) * candidate.most) continue;
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
        if (set.rates[flow] >= (1 - alike_rates_) * levels.of(flow.direction) &&
            lost > least_effect / 2)
          promise += huber(lost / error_);
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
      if (sum < (1 - alike_sums_) * candidate.most) continue;
      const auto predicted = base.sets[i].rates.sum(candidate.limit.of(evidence_.sets()[i].flows));
      if (sum > (1 - least_effect / 2) * predicted) continue;
      total += sum;
      ++count;
    }
    return count > 0 ? total / count : 0;
  }

  /// What each set says in which the limit is full and takes something off.
  [[nodiscard]] std::vector<division> divisions(const prediction& base, const limit& full) const {
    std::vector<division> list;
    for (std::size_t i = 0; i < base.sets.size(); ++i) {
      const auto& set = evidence_.sets()[i];
      const auto flows = full.of(set.flows);
      if (flows.h2d.empty() || flows.d2h.empty()) continue;
      // A device shows alone how its own link divides.
      if (full.devices.size() == 1 && set.flows != flows) continue;
      if (std::abs(set.rates.sum(flows) / full.capacity - 1) > 2 * alike_sums_) continue;
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

  struct fastest_flows {
    double rate = 0, flows = 0;  ///< mean rate, number
    bool is_held = false;        ///< slower than `base` predicts
  };

  /// The flows of the highest rate: only these may be held back by the limit that is looked at.
  [[nodiscard]] fastest_flows fastest(const measured_set& set, const per_flow& base,
                                      const flow_set& flows) const {
    double level = 0;
    for (const auto& flow : list_of(flows)) level = std::max(level, set.rates[flow]);
    fastest_flows result;
    double predicted = 0;
    for (const auto& flow : list_of(flows)) {
      if (set.rates[flow] < (1 - alike_rates_) * level) continue;
      result.rate += set.rates[flow];
      predicted += base[flow];
      ++result.flows;
    }
    result.is_held = result.rate < (1 - least_effect / 2) * predicted;
    result.rate /= result.flows;
    return result;
  }

  /// How a full limit for both directions divides; fair unless Student's test says otherwise.
  [[nodiscard]] direction_shares shares_in(const prediction& base, const limit& full) const {
    if (full.kind != traffic::both) return {};
    auto list = divisions(base, full);
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
    const auto degrees = scatter > variance ? count - 1 : evidence_.noise().degrees;
    const boost::math::students_t student(degrees);
    const auto distance = std::abs(ratio) / std::sqrt(std::max(scatter, variance));
    const auto p = 2 * boost::math::cdf(boost::math::complement(student, distance));
    const bool is_fair = std::abs(ratio) < least_unfair || p >= significance;
    return is_fair ? direction_shares{} : shares_of(ratio);
  }

  static division strictest(const std::vector<division>& list) {
    return *std::ranges::max_element(list, {},
                                     [](const division& told) { return std::abs(told.ratio); });
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
      auto misfit = misfit_with(base, limit);
      if (const auto shares = shares_in(base, limit); !shares.are_fair()) {
        auto unfair = limit;
        unfair.shares = shares;
        const auto unfair_misfit = misfit_with(base, unfair);
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
    current_ = predict(limits);
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
      current_ = predict(limits);
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
    const auto base = without(current_, index);
    auto limits = current_.limits;
    const auto shares = shares_in(base, limits[index]);
    if (shares.are_fair() && limits[index].shares.are_fair()) return;
    limits[index].shares = {};
    auto fair = predict(limits);
    limits[index].shares = shares;
    auto unfair = predict(limits);
    current_ = unfair.misfit < fair.misfit - worth_a_limit ? std::move(unfair) : std::move(fair);
  }

  /// Leaves out totals that something else may explain: a device's own link gives what it gives
  /// alone, and no link gives less than it once gave.
  [[nodiscard]] bool is_full(std::size_t index, double sum, const std::vector<double>& sums) const {
    if (index < own_.size()) return std::abs(sum / own_[index].capacity - 1) < alike_sums_;
    return sum >= (1 - 2 * alike_sums_) * *std::ranges::max_element(sums);
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
      const auto base = without(current_, index);
      auto [best, misfit] = best_addition(base);
      for (const auto& near : neighbours(base, current_.limits[index])) {
        const auto near_misfit = misfit_with(base, near);
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
        const auto misfit = predict(limits).misfit;
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

  /// What the sets in which a limit holds flows back say about it.
  [[nodiscard]] effect_of_limit effect_of(std::size_t index) const {
    const auto base = without(current_, index);
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
    const boost::math::students_t student(evidence_.noise().degrees);
    const auto distance = result.effect / std::sqrt(variance / count + variance);
    result.p = boost::math::cdf(boost::math::complement(student, distance));
    result.capacity = interval_of(sums, limit.capacity, variance / count);
    return result;
  }

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
    const boost::math::students_t student(degrees);
    const auto half = capacity * std::sqrt(std::max(scatter, variance)) *
                      boost::math::quantile(boost::math::complement(student, 0.025));
    return {capacity, capacity - half, capacity + half};
  }

  /// The p-values of the shared limits, adjusted for all candidates that there were.
  [[nodiscard]] std::vector<effect_of_limit> effects() const {
    std::vector<effect_of_limit> list;
    std::vector<double> p;
    for (std::size_t index = own_.size(); index < current_.limits.size(); ++index) {
      list.push_back(effect_of(index));
      p.push_back(list.back().p);
    }
    p.resize(std::max(p.size(), candidates_.size()), 1);
    const auto adjusted = statistics::holm_adjusted(p);
    for (std::size_t i = 0; i < list.size(); ++i) list[i].p = adjusted[i];
    return list;
  }

  /// Removes the limits that the evidence does not require, the least certain first.
  bool remove() {
    bool removed = false;
    for (;;) {
      const auto list = effects();
      std::optional<std::size_t> worst;
      for (std::size_t i = 0; i < list.size(); ++i) {
        const bool required = list[i].p < significance && list[i].effect >= least_effect;
        if (!required && (!worst || list[i].effect < list[*worst].effect)) worst = i;
      }
      if (!worst) return removed;
      refine(without(current_, own_.size() + *worst).limits);
      removed = true;
    }
  }

  [[nodiscard]] fit result() const {
    fit result;
    result.devices = evidence_.devices();
    const auto shared = current_.limits.begin() + static_cast<std::ptrdiff_t>(own_.size());
    result.own.assign(current_.limits.begin(), shared);
    const auto list = effects();
    for (std::size_t i = 0; i < list.size(); ++i)
      result.shared.push_back({current_.limits[own_.size() + i], list[i].capacity, list[i].effect,
                               list[i].p, list[i].sets});
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto base = without(current_, own_.size() + i);
      for (const auto& near : neighbours(base, current_.limits[own_.size() + i]))
        if (misfit_with(base, near) < current_.misfit + doubtful)
          result.doubts.push_back({i, near});
    }
    return result;
  }

  const evidence& evidence_;
  const std::vector<device_set>& hints_;
  double error_ = 0;  ///< relative standard error of the ratio of two rates
  double alike_sums_ = 0, alike_rates_ = 0;
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
