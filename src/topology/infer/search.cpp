#include "src/topology/infer/search.hpp"

#include <algorithm>
#include <set>

#include "src/topology/infer/candidate_sets.hpp"
#include "src/topology/infer/shares.hpp"

namespace bench_transfers::topology {
namespace {

/// Of the limits that promise most, so many are tried: what they explain takes a prediction each.
constexpr std::size_t tried_exactly = 8;
/// The misfit of a set, in squares of standard errors, that a limit is to explain.
constexpr double misfit_to_explain = 4;
/// Limits that explain about as much are told apart by what is usual: one below a place that the
/// kernel shows, rather than one of devices whose numbers are in a row, rather than any other.
constexpr double preference_of_places = 1.04, preference_of_rows = 1.02;

bool is_in_a_row(device_set set) {
  const auto first = set.front();
  return set == device_set::up_to(first + set.size()) - device_set::up_to(first);
}

/// A device's rates alone, the last of them if they drift; where it was not measured alone, the
/// most that it ever had.
std::vector<limit> own_limits(const evidence& evidence) {
  std::vector<limit> limits;
  const auto alike = tolerances_of(evidence).alike_sums;
  for (std::size_t device = 0; device < evidence.devices(); ++device) {
    double directions = 0;
    for (const auto kind : every_traffic) {
      limit own{device_set::of(device), kind, 0};
      own.capacity = evidence.rate_alone(device, kind);
      if (own.capacity <= 0) own.capacity = evidence.most(own);
      if (kind != traffic::both) directions += own.capacity;
      if (kind == traffic::both && own.capacity >= (1 - alike) * directions) continue;
      limits.push_back(own);
    }
  }
  return limits;
}

possible_limit possible(const evidence& evidence, const std::vector<device_set>& hints,
                        const limit& limit) {
  possible_limit result{limit, 1, {}, 0};
  for (const auto& set : evidence.sets()) result.sums.push_back(set.rates.sum(limit.of(set.flows)));
  for (const auto sum : result.sums) result.most = std::max(result.most, sum);
  if (std::ranges::find(hints, limit.devices) != hints.end())
    result.preference = preference_of_places;
  else if (is_in_a_row(limit.devices))
    result.preference = preference_of_rows;
  return result;
}

std::vector<possible_limit> all_possible(const evidence& evidence,
                                         const std::vector<device_set>& hints) {
  std::vector<possible_limit> list;
  for (const auto set : candidate_sets(evidence, hints))
    for (const auto kind : every_traffic) list.push_back(possible(evidence, hints, {set, kind, 0}));
  return list;
}

bool fits_in(const prediction& base, const limit& added) {
  return std::ranges::all_of(base.limits,
                             [&](const limit& other) { return go_together(other, added); });
}

/// Whether the candidate, if it is a limit, is reached in the set: its flows have about the most
/// that they ever had.
bool is_full(const search& search, const possible_limit& candidate, std::size_t set) {
  return candidate.sums[set] >= (1 - search.alike.alike_sums) * candidate.most;
}

/// What flows of the set lack of what `base` predicts, as parts of that: those flows that a full
/// limit may slow down, which are at the highest rate of their direction.
std::vector<double> losses_in(const search& search, const filled& base, const measured_set& set,
                              const limit& limit) {
  std::vector<double> losses;
  const auto held = limit.of(set.flows);
  if (held.devices().size() < 2) return losses;
  const auto flows = list_of(held);
  direction_shares highest{0, 0};
  for (const auto& flow : flows) {
    auto& rate = flow.direction == direction::h2d ? highest.h2d : highest.d2h;
    rate = std::max(rate, set.rates[flow]);
  }
  for (const auto& flow : flows) {
    const auto lost = 1 - set.rates[flow] / base.rates[flow];
    const bool is_highest =
        set.rates[flow] >= (1 - search.alike.alike_rates) * highest.of(flow.direction);
    if (is_highest && lost > least_effect / 2) losses.push_back(lost);
  }
  return losses;
}

/// How much of what `base` leaves unexplained the candidate may explain: an estimate of what it
/// takes off the misfit, made without a prediction.
double promise_of(const search& search, const prediction& base, const possible_limit& candidate) {
  double promise = 0;
  for (std::size_t i = 0; i < candidate.sums.size(); ++i) {
    if (base.misfits[i] < misfit_to_explain || !is_full(search, candidate, i)) continue;
    for (const auto lost :
         losses_in(search, base.sets[i], search.evidence.sets()[i], candidate.limit))
      promise += huber(lost / search.alike.error);
  }
  return promise;
}

/// Those that promise most.
std::vector<const possible_limit*> promising(const search& search, const prediction& base,
                                             bool crossing) {
  std::vector<std::pair<double, const possible_limit*>> list;
  for (const auto& candidate : search.possible) {
    const auto promised = promise_of(search, base, candidate);
    if (promised > worth_a_limit / 2 && fits_in(base, candidate.limit) != crossing)
      list.emplace_back(promised * candidate.preference, &candidate);
  }
  const auto tried = std::min(list.size(), tried_exactly);
  std::ranges::partial_sort(list, list.begin() + static_cast<std::ptrdiff_t>(tried), std::greater{},
                            &std::pair<double, const possible_limit*>::first);
  std::vector<const possible_limit*> best;
  for (std::size_t i = 0; i < tried; ++i) best.push_back(list[i].second);
  return best;
}

/// The mean total of the sets in which the candidate is full and `base` predicts more.
double capacity_of(const search& search, const prediction& base, const possible_limit& candidate) {
  double total = 0;
  double count = 0;
  for (std::size_t i = 0; i < candidate.sums.size(); ++i) {
    if (!is_full(search, candidate, i)) continue;
    const auto sum = candidate.sums[i];
    const auto predicted =
        base.sets[i].rates.sum(candidate.limit.of(search.evidence.sets()[i].flows));
    if (sum > (1 - least_effect / 2) * predicted) continue;
    total += sum;
    ++count;
  }
  return count > 0 ? total / count : 0;
}

/// It divides unfairly if that explains more.
addition with_shares(const search& search, const prediction& base, const limit& fair) {
  const addition divided_fairly{fair, search.predictor.misfit_with(base, fair)};
  auto unfair = fair;
  unfair.shares = shares_in(search.evidence, base, fair);
  if (unfair.shares.are_fair()) return divided_fairly;
  const addition divided{unfair, search.predictor.misfit_with(base, unfair)};
  return divided.misfit < divided_fairly.misfit - worth_a_limit ? divided : divided_fairly;
}

}  // namespace

search::search(const topology::evidence& measured, const std::vector<device_set>& given_hints)
    : evidence(measured),
      hints(given_hints),
      predictor(measured),
      alike(tolerances_of(measured)),
      own(own_limits(measured)),
      possible(all_possible(measured, given_hints)) {}

bool go_together(const limit& lhs, const limit& rhs) {
  return nested_or_apart(lhs.devices, rhs.devices) &&
         (lhs.devices != rhs.devices || lhs.kind != rhs.kind);
}

std::optional<addition> best_addition(const search& search, const prediction& base, bool crossing) {
  std::optional<addition> best;
  double best_gain = 0;
  for (const auto* const candidate : promising(search, base, crossing)) {
    auto limit = candidate->limit;
    limit.capacity = capacity_of(search, base, *candidate);
    if (limit.capacity <= 0) continue;
    const auto tried = with_shares(search, base, limit);
    const auto gain = (base.misfit - tried.misfit) * candidate->preference;
    if (gain <= best_gain) continue;
    best_gain = gain;
    best = tried;
  }
  return best;
}

std::vector<limit> neighbours(const search& search, const prediction& base, const limit& near) {
  std::set<device_set> toggled;
  for (const auto device : search.evidence.seen().members()) toggled.insert(device_set::of(device));
  for (const auto& other : base.limits) toggled.insert(other.devices);
  std::vector<limit> list;
  const auto add = [&](device_set devices, traffic kind) {
    if (devices.size() < 2) return;
    auto other = possible(search.evidence, search.hints, {devices, kind, 0});
    if (!fits_in(base, other.limit)) return;
    other.limit.capacity = capacity_of(search, base, other);
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

}  // namespace bench_transfers::topology
