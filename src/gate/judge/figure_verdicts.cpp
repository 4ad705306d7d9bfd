#include "src/gate/judge/figure_verdicts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace bench_transfers::gate {
namespace {

verdict verdict_of(outcome value) {
  switch (value) {
    case outcome::slower: return verdict::slower;
    case outcome::faster: return verdict::faster;
    case outcome::ambiguous: return verdict::ambiguous;
    case outcome::unchanged: return verdict::unchanged;
    case outcome::not_known: break;
  }
  return verdict::not_known;
}

/// Whether single processes are much slower, and it is open if by chance.
bool is_in_some_runs(const benchmark_judgement& judged) {
  return judged.sighting != sighting::none && judged.sighting != sighting::cleared;
}

/// Not only in some runs.
bool is_in_every_run(const finding& entry) {
  return std::ranges::all_of(entry.shifts, [&](const std::optional<double>& shift) {
    return !shift || slowdown(*shift) > entry.threshold;
  });
}

/// Whether one figure tells of a slowdown that the others do not show.
bool is_worse(verdict of_figure, verdict known) {
  return known != verdict::slower &&
         (of_figure == verdict::slower ||
          (of_figure == verdict::ambiguous && known != verdict::ambiguous));
}

/// Of all new runs, those that have a figure.
std::size_t judged_runs(const finding& entry) {
  return static_cast<std::size_t>(std::ranges::count_if(
      entry.shifts, [](const std::optional<double>& shift) { return shift.has_value(); }));
}

void remark_on_slow_runs(finding& entry) {
  const auto& judged = *entry.judgement;
  if (entry.result == verdict::ambiguous && judged.most_slower > 0 && !is_in_some_runs(judged))
    entry.note = remarks::most_runs_slower{judged.most_slower, judged_runs(entry)};
  else if (has_slow_runs(entry))
    entry.note =
        remarks::slow_runs{judged.slow_processes, judged_runs(entry), slowdown(judged.slowest)};
}

/// A benchmark that moves no data is fast, too.
void doubt_implausible(finding& entry) {
  constexpr double most = 20;
  const double factor = std::exp(-entry.judgement->shift);
  if (factor < most) return;
  entry.result = verdict::ambiguous;
  entry.note = remarks::implausibly_fast{factor};
}

}  // namespace

void conclude_by_own_figure(finding& entry) {
  entry.result = verdict_of(entry.judgement->verdict);
  entry.advisory = is_advisory(*entry.judgement, entry.threshold);
  remark_on_slow_runs(entry);
  doubt_implausible(entry);
}

bool has_slow_runs(const finding& entry) {
  const auto& judged = entry.judgement;
  return judged && judged->slow_processes > 0 &&
         (entry.result != verdict::slower || judged->sighting == sighting::again);
}

void conclude_by_fastest(finding& entry, const class_answer& part, look newest) {
  const auto& judged = *entry.by_fastest;
  auto of_fastest = verdict_of(judged.verdict);
  const double at_most = slowdown(judged.at_most);
  if (entry.result == verdict::slower && at_most <= entry.threshold &&
      (newest == look::first || !is_in_every_run(entry))) {
    entry.result = verdict::ambiguous;
    entry.note = remarks::fastest_not_slower{at_most};
  }
  const bool is_doubtful = part.changed() || entry.result == verdict::unchanged;
  if (of_fastest == verdict::slower && is_doubtful) of_fastest = verdict::ambiguous;
  const double slower_by = slowdown(judged.shift);
  if (slower_by <= entry.threshold || entry.result == verdict::faster ||
      !is_worse(of_fastest, entry.result))
    return;
  entry.result = of_fastest;
  entry.decided_by = figure::fastest;
  entry.note = remarks::fastest_slower{slower_by};
}

void conclude_by_mean(finding& entry, look newest) {
  auto of_mean = verdict_of(entry.by_mean->verdict);
  const bool is_doubtful =
      newest == look::first || is_in_some_runs(*entry.judgement) || entry.is_doubted_by_fastest();
  if (of_mean == verdict::slower && is_doubtful) of_mean = verdict::ambiguous;
  if (!is_worse(of_mean, entry.result)) return;
  entry.result = of_mean;
  entry.decided_by = figure::mean;
  const auto& judged = *entry.by_mean;
  const double slower_by = slowdown(judged.shift);
  // All runs together may look no slower, or even faster.
  if (slower_by <= entry.mean_threshold && is_in_some_runs(judged))
    entry.note = remarks::mean_slow_runs{judged.slow_processes, judged_runs(entry),
                                         slowdown(judged.slowest)};
  else if (slower_by <= entry.mean_threshold && judged.most_slower > 0)
    entry.note = remarks::mean_of_most_runs_slower{judged.most_slower, judged_runs(entry)};
  else
    entry.note = remarks::mean_slower{slower_by};
}

}  // namespace bench_transfers::gate
