#include <algorithm>
#include <functional>
#include <utility>

#include "src/advice/small_transfers.hpp"
#include "src/report/rule_facts.hpp"

namespace bench_transfers::report {
namespace {

/// More cores than that of the thread that calls are worth a warning.
constexpr double many_cores = 1.5;

using all_choices = std::vector<choice>;

enum class end { smallest, largest };  // of sizes

std::vector<std::string> strategies_of(const picks& all) {
  std::vector<std::string> names;
  for (const auto& each : all)
    if (std::ranges::find(names, each.strategy()) == names.end()) names.push_back(each.strategy());
  return names;
}

outcome outcome_of(const statistics::ratio& gain) {
  if (!gain.interval) return outcome::too_few_repetitions;
  return gain.is_above_one() ? outcome::clear_gain : outcome::no_clear_gain;
}

std::optional<busy_cores> cores_of(const picks& all) {
  std::optional<busy_cores> busiest;
  for (const auto& each : all) {
    const auto cores = each.chosen->median("cores").value_or(0);
    if (cores >= many_cores && (!busiest || cores > busiest->count))
      busiest = {each.strategy(), cores};
  }
  return busiest;
}

/// Whether other strategies than the plain copy are chosen, and none of them is known to gain.
bool are_without_gain(const picks& all) {
  const auto may_gain = [](const pick& each) {
    return !each.is_certain || each.outcome == outcome::clear_gain;
  };
  return !std::ranges::all_of(all, &pick::is_plain) && std::ranges::none_of(all, may_gain);
}

class rule_maker {
 public:
  explicit rule_maker(const run& measured_run) : run_(measured_run), choices_(measured_run) {}

  [[nodiscard]] decided_rules decide() const {
    const auto terms = choices_.terms();
    decided_rules decided{.rules = {}, .lacks_allocation = terms && !terms->allocation};
    for (const auto& rule : {of_large(rule_subject::large_arrays, among::all_memory), of_small(),
                             of_large(rule_subject::ordinary_memory, among::ordinary_memory)})
      if (rule) decided.rules.push_back(*rule);
    return decided;
  }

 private:
  [[nodiscard]] std::optional<decided_rule> of_large(rule_subject subject, among memory) const {
    const auto largest = at_ends(end::largest, memory);
    if (largest.empty()) return std::nullopt;
    decided_rule rule{.subject = subject, .picks = pick_best(largest), .uses = {}};
    rule.is_without_gain = are_without_gain(rule.picks);
    if (rule.is_without_gain) {
      rule.uses = {use_of(largest.front().plain->described->strategy)};
    } else {
      rule.uses = uses_of(rule.picks);
      rule.cores = cores_of(rule.picks);
    }
    return rule;
  }

  [[nodiscard]] std::optional<decided_rule> of_small() const {
    const auto smallest = at_ends(end::smallest, among::all_memory);
    if (smallest.empty()) return std::nullopt;
    decided_rule rule{.subject = rule_subject::small_transfers, .picks = {}, .uses = {}};
    for (const auto& choice : smallest) {
      rule.picks.push_back(pick_at_clear_size(choice));
      if (const auto range = plain_range_of(choice.towards)) rule.plain_ranges.push_back(*range);
    }
    rule.uses = uses_of(rule.picks);
    return rule;
  }

  [[nodiscard]] all_choices at_ends(end which, among memory) const {
    all_choices ends;
    for (const auto towards : both_directions)
      if (const auto sizes = choices_.sizes(towards, memory); !sizes.empty())
        if (auto found =
                choices_.at(towards, which == end::largest ? sizes.back() : sizes.front(), memory))
          ends.push_back(std::move(*found));
    return ends;
  }

  [[nodiscard]] pick pick_of(const choice& made, const measured& chosen) const {
    const bool is_plain = made.is_plain(chosen);
    const auto gain = is_plain ? statistics::ratio() : made.gain(chosen);
    return {.towards = made.towards,
            .size = made.size,
            .plain = made.plain,
            .chosen = &chosen,
            .gain = gain,
            .outcome = is_plain ? outcome::is_plain : outcome_of(gain),
            .is_certain = made.is_certain(),
            .reuse = choices_.reuse_needed_for(made, chosen.described->strategy)};
  }

  /// In all directions the same strategy, if one is good enough in each.
  [[nodiscard]] picks pick_best(const all_choices& choices) const {
    const auto name = [](const measured* each) { return each->described->strategy; };
    const auto& of_first = choices.front().as_good;
    const auto common = std::ranges::find_if(of_first, [&](const measured* good) {
      return std::ranges::all_of(choices, [&](const choice& choice) {
        return std::ranges::count(choice.as_good, name(good), name) > 0;
      });
    });
    picks all;
    for (const auto& choice : choices)
      all.push_back(pick_of(
          choice, common == of_first.end() ? choice.best() : *choice.candidate(name(*common))));
    return all;
  }

  /// The strategy for the smallest size; if its gain is clear only at a larger size, at that one.
  [[nodiscard]] pick pick_at_clear_size(const choice& smallest) const {
    const auto& chosen = choices_.decide(smallest);
    if (smallest.is_plain(chosen) || !smallest.is_certain()) return pick_of(smallest, chosen);
    for (const auto at_size : choices_.sizes(smallest.towards)) {
      if (static_cast<double>(at_size) > advice::largest_small_transfer) break;
      const auto choice = choices_.at(smallest.towards, at_size);
      const auto* same = choice ? choice->candidate(chosen.described->strategy) : nullptr;
      if (same && choice->gain(*same).is_above_one()) return pick_of(*choice, *same);
    }
    return pick_of(smallest, chosen);
  }

  /// None if the plain copy is not to be used at the smallest size.
  [[nodiscard]] std::optional<plain_range> plain_range_of(direction towards) const {
    std::optional<plain_range> range;
    for (const auto at_size : choices_.sizes(towards)) {
      const auto choice = choices_.at(towards, at_size);
      if (!choice) continue;
      if (!choice->is_plain(choices_.decide(*choice))) break;
      if (!range) range = {.towards = towards, .largest = 0, .are_ties = true, .is_certain = false};
      range->largest = at_size;
      range->are_ties &= choice->is_tie();
      range->is_certain |= choice->is_certain();
    }
    return range;
  }

  /// One for all directions, or one for each.
  [[nodiscard]] std::vector<use> uses_of(const picks& all) const {
    const auto names = strategies_of(all);
    if (names.size() == 1) return {use_of(names.front())};
    std::vector<use> uses;
    for (const auto& each : all) uses.push_back(use_of(each.strategy(), way(each.towards)));
    return uses;
  }

  [[nodiscard]] use use_of(const std::string& strategy, const std::string& place = "") const {
    const auto& listed = result_file::member(run_.read().facts, {"strategies"});
    if (listed.is_array())
      for (const auto& entry : listed)
        if (result_file::text_at(entry, {"name"}) == strategy)
          return {strategy, result_file::text_at(entry, {"summary"}), place};
    return {strategy, "", place};
  }

  const run& run_;
  report::choices choices_;
};

}  // namespace

std::vector<rule> rules_of(const run& of) {
  if (of.read().on_host || of.is_falsified()) return {};
  return in_words(rule_maker(of).decide());
}

}  // namespace bench_transfers::report
