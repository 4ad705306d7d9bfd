#include "src/gate/judge/new_runs.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include "src/gate/judge/observe.hpp"

namespace bench_transfers::gate {
namespace {

/// The look of each run, in the order of time. Runs that do not fill a look belong to the last one.
std::vector<std::size_t> looks_of(std::span<const process> runs, std::size_t look_runs) {
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return runs[i].started; });
  const auto looks = std::max<std::size_t>(1, runs.size() / look_runs);
  std::vector<std::size_t> result(runs.size());
  for (std::size_t place = 0; place < order.size(); ++place)
    result[order[place]] = std::min(place / look_runs, looks - 1);
  return result;
}

}  // namespace

struct new_runs::counts {
  std::size_t failed = 0;
  std::size_t usable = 0;    ///< with a figure
  std::size_t lacking = 0;   ///< without the benchmark, though they were not interrupted
  std::size_t cut_off = 0;   ///< without the benchmark, because they were interrupted
  std::size_t unjudged = 0;  ///< without the field judged by
  std::size_t few = 0;       ///< with too few repetitions
};

new_runs::new_runs(std::span<const run> runs, const metric& judged_by, std::size_t look_runs)
    : runs_(runs), judged_by_(judged_by) {
  const auto origins = origins_of(runs);
  sessions_ = sessions_of(origins);
  looks_ = looks_of(origins, look_runs);
}

std::optional<remark> new_runs::why_too_few(const counts& counted) const {
  const auto runs = runs_.size();
  if (counted.failed > 0) return remarks::failed{counted.failed, runs};
  if (counted.usable == 0 && counted.unjudged > 0) return remarks::no_such_field{judged_by_.key};
  if (counted.usable + counted.few == 0) return remarks::not_measured{};
  // Most runs could have been interrupted where they were slow.
  if (counted.few > 0 &&
      (4 * (counted.few + counted.cut_off) > runs || counted.usable < least_new_processes))
    return remarks::few_repetitions{counted.few, runs};
  if (counted.lacking > 0 || 4 * counted.cut_off > runs)
    return remarks::measured_by_some{counted.usable, runs};
  if (counted.usable < least_new_processes)
    return remarks::too_few_runs{counted.usable, runs, least_new_processes};
  return std::nullopt;
}

/// A benchmark that moves less, or does less, is faster, and not better.
std::optional<remark> new_runs::other_work(const std::string& name, const history& known) const {
  const auto& before = known.bytes;
  for (const auto& process : runs_) {
    const auto benchmark = process.benchmarks.find(name);
    if (benchmark == process.benchmarks.end()) continue;
    if (!is_usable(benchmark->second)) continue;
    if (is_other_procedure(known.work, benchmark->second.work))
      return remarks::other_procedure{known.work.procedure, benchmark->second.work.procedure};
    const double after = benchmark->second.bytes.value_or(0);
    if (before && !is_same_number(*before, after)) return remarks::other_bytes{*before, after};
    if (auto other = difference_of(known.work, benchmark->second.work))
      return remarks::other_work{other->key, other->before, other->after};
  }
  return std::nullopt;
}

new_figures new_runs::figures_of(const std::string& name, const history& before) const {
  history found;
  counts counted;
  for (const auto& process : runs_) {
    if (std::ranges::find(process.unjudged, name) != process.unjudged.end()) ++counted.unjudged;
    const auto benchmark = process.benchmarks.find(name);
    found.figures.emplace_back();
    found.means.emplace_back();
    found.fastest.emplace_back();
    if (benchmark == process.benchmarks.end()) {
      ++(process.complete ? counted.lacking : counted.cut_off);
      continue;
    }
    if (benchmark->second.failed > 0) ++counted.failed;
    found.figures.back() = figure_of(benchmark->second, judged_by_);
    found.means.back() = mean_of(benchmark->second, judged_by_);
    found.fastest.back() = fastest_of(benchmark->second);
    if (found.figures.back())
      ++counted.usable;
    else if (benchmark->second.failed == 0)
      ++counted.few;
  }
  auto why = why_too_few(counted);
  if (!why || std::holds_alternative<remarks::few_repetitions>(*why))
    if (auto other = other_work(name, before)) why = std::move(other);
  return {std::move(found), std::move(why)};
}

void new_runs::add_to(observation& observed, const history& figures) const {
  const auto count_of = [](const std::vector<std::size_t>& parts) {
    return parts.empty() ? 0 : std::ranges::max(parts) + 1;
  };
  observed.after = costs_of(figures, sessions_, count_of(sessions_), judged_by_);
  observed.looks = costs_of(figures, looks_, count_of(looks_), judged_by_);
}

}  // namespace bench_transfers::gate
