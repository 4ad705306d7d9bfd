#include "src/gate/judge/confirm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "src/gate/judge/conclude.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/gate/model/baseline.hpp"
#include "src/statistics/distributions.hpp"
#include "src/statistics/holm.hpp"
#include "src/statistics/location.hpp"
#include "src/statistics/rank_test.hpp"

namespace bench_transfers::gate {
namespace {

/// Enough rounds that the least possible p of the rank test, doubled, is significant among this
/// many suspects.
std::size_t rounds_for(std::size_t suspects, double false_alarm) {
  for (std::size_t rounds = least_confirm_rounds; rounds < most_confirm_rounds; ++rounds) {
    const auto each = static_cast<unsigned>(2 * rounds);
    if (2 * static_cast<double>(suspects) / statistics::binomial_coefficient(2 * each, each) <
        false_alarm)
      return rounds;
  }
  return most_confirm_rounds;
}

/// The runs must be of the device that was checked, of one machine, and independent.
void require_alike(const report& answer, std::span<const run> measured) {
  const auto& first = measured.front();
  for (const auto& process : measured) {
    if (process.on_host != answer.on_host || process.device != answer.device)
      throw bad_input(fmt::format("--confirm measured on {}, the check is about {}",
                                  device_label(process.device, process.on_host),
                                  device_label(answer.device, answer.on_host)));
    if (!process.card.empty() && !answer.cards.empty() && !answer.cards.contains(process.card))
      throw bad_input(fmt::format("--confirm measured on {}, the check is about {}", process.card,
                                  fmt::join(answer.cards, " and ")));
    if (const auto facts = differences(first.machine, process.machine); !facts.empty())
      throw bad_input(
          fmt::format("the programs of --confirm do not measure alike: {} is '{}' and '{}'",
                      facts.front().key, facts.front().before, facts.front().after));
  }
  require_comparable(measured);
  static_cast<void>(declaration_in(measured, answer.judged_by));
}

void require_no_faults(const run& reference) {
  if (!reference.faults.empty())
    throw bad_input(
        fmt::format("the reference program of --confirm has faults injected on "
                    "purpose ({})",
                    reference.faults.front()));
}

/// One suspect and its costs with both programs, by process.
struct duel {
  finding* suspect;
  std::vector<double> before, after;
  std::size_t missing = 0;
  std::optional<work> first = {};  ///< as the first process measured it
  std::optional<remarks::other_procedure> other = {};

  [[nodiscard]] double threshold() const { return suspect->deciding_threshold(); }

  /// The fastest operation clears nothing.
  [[nodiscard]] std::optional<double> value_of(const benchmark_values& measured,
                                               const metric& judged_by) const {
    return suspect->decided_by == figure::mean ? mean_of(measured, judged_by)
                                               : figure_of(measured, judged_by);
  }

  void add(const run& process, bool is_after, const metric& judged_by) {
    const auto benchmark = process.benchmarks.find(suspect->name);
    const auto value = benchmark == process.benchmarks.end()
                           ? std::nullopt
                           : value_of(benchmark->second, judged_by);
    if (value) note_procedure(benchmark->second.work);
    if (value && !other)
      (is_after ? after : before).push_back(cost(*value, judged_by));
    else
      ++missing;
  }

  void note_procedure(const work& measured) {
    if (!first) first = measured;
    if (is_other_procedure(*first, measured)) other = {first->procedure, measured.procedure};
  }

  [[nodiscard]] double shift() const {
    return statistics::location(after) - statistics::location(before);
  }
};

std::vector<duel> duels_of(report& answer) {
  std::vector<duel> duels;
  for (auto& benchmark : answer.findings)
    if (benchmark.result == verdict::slower || benchmark.result == verdict::ambiguous)
      duels.push_back({&benchmark, {}, {}});
  return duels;
}

std::vector<std::string> names_in(std::span<const duel> duels) {
  std::vector<std::string> names;
  for (const auto& duel : duels) names.push_back(duel.suspect->name);
  return names;
}

/// For each suspect, p of the hypothesis that it is not slower at all; 1 if it could not be
/// measured.
std::vector<double> p_slower(std::span<const duel> duels) {
  std::vector<double> p;
  for (const auto& duel : duels)
    p.push_back(duel.missing > 0 ? 1 : statistics::rank_test(duel.before, duel.after));
  return statistics::holm_adjusted(p);
}

/// For each suspect, p of the hypothesis that it is slower by the threshold or more.
std::vector<double> p_not_slower(std::span<const duel> duels) {
  std::vector<double> p;
  for (const auto& duel : duels) {
    auto least = duel.before;
    for (auto& cost : least) cost += std::log1p(duel.threshold());
    p.push_back(duel.missing > 0 ? 1 : statistics::rank_test(duel.after, least));
  }
  return statistics::holm_adjusted(p);
}

/// How much slower the reference program is than the baseline: whoever is as slow was not cleared.
double reference_slowdown(const duel& duel, const metric& judged_by) {
  const auto& pinned = duel.suspect->before;
  return pinned && duel.suspect->decided_by != figure::mean
             ? slowdown(statistics::location(duel.before) - cost(*pinned, judged_by))
             : 0;
}

void decide(std::span<duel> duels, double false_alarm, const metric& judged_by) {
  const auto slower = p_slower(duels);
  const auto not_slower = p_not_slower(duels);
  for (std::size_t i = 0; i < duels.size(); ++i) {
    auto& suspect = *duels[i].suspect;
    if (duels[i].missing > 0) {
      suspect.note = duels[i].other ? remark(*duels[i].other) : remarks::not_measured_again{};
      continue;
    }
    if (suspect.decided_by == figure::fastest) suspect.decided_by = figure::own;
    const double part = slowdown(duels[i].shift());
    const double threshold = duels[i].threshold();
    if (part > threshold && slower[i] < false_alarm)
      suspect.result = verdict::slower;
    else if (part <= threshold && not_slower[i] < false_alarm)
      suspect.result = verdict::unchanged;
    else
      suspect.result = verdict::ambiguous;
    suspect.note = remarks::measured_in_turn{part, slower[i]};
    const double reference = reference_slowdown(duels[i], judged_by);
    if (suspect.result == verdict::unchanged && reference > threshold) {
      suspect.result = verdict::ambiguous;
      suspect.note = remarks::reference_slower{reference};
    }
  }
}

}  // namespace

void confirm(report& answer, const programs& programs, const measure_once& measure,
             const progress_function& progress) {
  auto duels = duels_of(answer);
  if (duels.empty()) return;
  const auto names = names_in(duels);
  const double false_alarm = answer.question.limits.false_alarm;
  const auto rounds = rounds_for(duels.size(), false_alarm);
  std::vector<run> measured;
  for (std::size_t round = 0; round < rounds; ++round)
    for (const bool is_after : {false, true, true, false}) {
      progress(measured.size(), 4 * rounds);
      measured.push_back(measure(is_after ? programs.after : programs.before, names));
      if (!is_after) require_no_faults(measured.back());
      require_alike(answer, measured);
      for (auto& duel : duels) duel.add(measured.back(), is_after, answer.judged_by);
    }
  progress(measured.size(), 4 * rounds);
  decide(duels, false_alarm, answer.judged_by);
  answer.notes.emplace_back(notes::measured_again{duels.size(), 2 * rounds});
  conclude(answer);
}

}  // namespace bench_transfers::gate
