#include "src/comparison/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "src/comparison/pairs.hpp"
#include "src/gate/judge/baseline_sessions.hpp"
#include "src/gate/judge/compare.hpp"
#include "src/gate/judge/observe.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/gate/model/baseline.hpp"
#include "src/statistics/estimate.hpp"

namespace bench_transfers::comparison {
namespace {

using gate::metric;
using statistics::interval;

constexpr double confidence = 0.95;

/// Those that differ between a value and the exponential of its logarithm.
double without_last_digits(double value) {
  const auto text = fmt::format("{:.12g}", value);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<std::size_t> sessions_of(const side& runs) {
  return gate::sessions_of(gate::origins_of(runs.runs));
}

interval negated(const interval& of) { return {-of.high, -of.low}; }

std::optional<double> middle(std::vector<double> values) {
  return values.empty() ? std::nullopt : std::optional(statistics::median(std::move(values)));
}

/// The difference of one benchmark by the repetitions alone.
std::optional<interval> interval_of_repetitions(const pair_of_sides& pair, double shift,
                                                double wanted) {
  const auto estimate_of = [&](const std::vector<double>& costs) {
    const auto within = statistics::interval_of_median(costs, wanted);
    return statistics::estimate{statistics::median(costs), within.low, within.high};
  };
  if (pair.first.repetitions.size() < 2 || pair.second.repetitions.size() < 2) return std::nullopt;
  const auto between = statistics::difference(estimate_of(pair.second.repetitions),
                                              estimate_of(pair.first.repetitions));
  return interval{shift - (between.value - between.low), shift + (between.high - between.value)};
}

class comparing {
 public:
  comparing(const side& first, const side& second) : first_(first), second_(second) {
    const auto most = std::max(first.runs.size(), second.runs.size());
    result_.basis = most >= gate::least_processes ? basis::runs : basis::repetitions;
    // The gate needs to know how much the runs of one side differ.
    is_swapped_ = first.runs.size() < gate::least_processes;
  }

  comparison_result result() {
    result_.machines = gate::differences(first_.runs.front().machine, second_.runs.front().machine);
    auto [pairs, left_out] = pairs_of(first_, second_);
    pairs_ = std::move(pairs);
    result_.left_out = std::move(left_out);
    if (result_.basis == basis::runs) leave_out_too_few();
    if (pairs_.empty() && !result_.left_out.other_procedure.empty())
      throw gate::bad_input(
          "the two sides have no benchmark in common that one procedure measured: measure both "
          "with one version of the program and the same options");
    if (pairs_.empty()) throw gate::bad_input("the two sides have no benchmark in common that ran");
    result_.compared = pairs_.size();
    if (result_.basis == basis::runs)
      compare_by_runs();
    else
      compare_by_repetitions();
    if (result_.basis == basis::runs) summarize_classes();
    summarize_groups();  // last: it takes the benchmarks
    return std::move(result_);
  }

 private:
  /// The gate needs to know how much the runs of one side differ.
  void leave_out_too_few() {
    std::erase_if(pairs_, [&](const pair_of_sides& pair) {
      const bool has_too_few = reference_of(pair).runs < gate::least_processes;
      if (has_too_few) result_.left_out.too_few.push_back(pair.name);
      return has_too_few;
    });
  }

  [[nodiscard]] const measured_side& reference_of(const pair_of_sides& pair) const {
    return is_swapped_ ? pair.second : pair.first;
  }
  [[nodiscard]] const measured_side& other_of(const pair_of_sides& pair) const {
    return is_swapped_ ? pair.first : pair.second;
  }

  /// As the gate compares new runs with a baseline.
  void compare_by_runs() {
    const auto reference_sessions = sessions_of(is_swapped_ ? second_ : first_);
    const auto other_sessions = sessions_of(is_swapped_ ? first_ : second_);
    const auto count = [](const auto& sessions) { return std::ranges::max(sessions) + 1; };
    std::vector<gate::observation> observations;
    for (const auto& pair : pairs_) {
      auto observed = gate::observe(reference_of(pair).history, reference_sessions,
                                    count(reference_sessions), judged_by());
      observed.after = gate::costs_of(other_of(pair).history, other_sessions, count(other_sessions),
                                      judged_by());
      observations.push_back(std::move(observed));
    }
    const auto judged =
        gate::compare(observations, {.told_by = gate::variance_told_by::both_sides});
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      add_benchmark(pairs_[i], observations[i].kind, difference_of(judged.benchmarks[i]));
  }

  [[nodiscard]] difference difference_of(const gate::benchmark_judgement& judgement) const {
    difference result{judgement.shift, gate::interval_of(judgement, confidence),
                      gate::interval_of(judgement, confidence_of_all())};
    if (is_swapped_) {
      result.shift = -result.shift;
      if (result.interval_95) result.interval_95 = negated(*result.interval_95);
      if (result.interval_all) result.interval_all = negated(*result.interval_all);
    }
    return result;
  }

  void compare_by_repetitions() {
    for (const auto& pair : pairs_) {
      const double shift = pair.second.centre - pair.first.centre;
      const difference by_repetitions{shift, interval_of_repetitions(pair, shift, confidence),
                                      interval_of_repetitions(pair, shift, confidence_of_all())};
      add_benchmark(pair, kind_of(pair.first), by_repetitions);
    }
  }

  [[nodiscard]] const metric& judged_by() const { return first_.judged_by; }

  [[nodiscard]] gate::benchmark_class kind_of(const measured_side& side) const {
    const std::vector<std::size_t> one_session(side.history.figures.size(), 0);
    return gate::observe(side.history, one_session, 1, judged_by()).kind;
  }

  /// Bonferroni.
  [[nodiscard]] double confidence_of_all() const {
    return 1 - (1 - confidence) / static_cast<double>(pairs_.size());
  }

  void add_benchmark(const pair_of_sides& pair, gate::benchmark_class limited_by,
                     difference difference) {
    const auto& facts = (first_.facts.contains(pair.name) ? first_ : second_).facts.at(pair.name);
    difference.known = finding_of(difference.interval_all, result_.basis);
    groups_[{facts.group, limited_by}].push_back(
        {pair.name, facts.size_bytes, facts.cache,
         without_last_digits(gate::value_of(pair.first.centre, judged_by())),
         without_last_digits(gate::value_of(pair.second.centre, judged_by())), difference});
  }

  void summarize_classes() {
    std::map<gate::benchmark_class, std::vector<compared_benchmark>> classes;
    for (const auto& [key, benchmarks] : groups_)
      std::ranges::copy(benchmarks, std::back_inserter(classes[key.second]));
    for (const auto& [kind, benchmarks] : classes)
      if (benchmarks.size() >= gate::least_class_size)
        result_.classes.push_back({kind, benchmarks.size(), typical_of(benchmarks)});
  }

  void summarize_groups() {
    for (auto& [key, benchmarks] : groups_) {
      compared_group group{key.first, key.second, typical_of(benchmarks), std::move(benchmarks)};
      std::ranges::sort(group.benchmarks, {}, [](const auto& benchmark) {
        return std::pair(benchmark.size_bytes, benchmark.cache);
      });
      for (auto& benchmark : group.benchmarks) {
        const auto& all = benchmark.difference.interval_all;
        benchmark.departs =
            all && (group.difference.shift < all->low || group.difference.shift > all->high);
      }
      result_.groups.push_back(std::move(group));
    }
    std::ranges::stable_sort(result_.groups, std::ranges::greater{},
                             [](const auto& group) { return std::abs(group.difference.shift); });
  }

  [[nodiscard]] difference typical_of(const std::vector<compared_benchmark>& benchmarks) const {
    const auto typical_interval = [&](std::optional<interval> difference::*which) {
      std::vector<double> low, high;
      for (const auto& benchmark : benchmarks)
        if (const auto& ends = benchmark.difference.*which) {
          low.push_back(ends->low);
          high.push_back(ends->high);
        }
      const auto least = middle(std::move(low));
      const auto most = middle(std::move(high));
      return least ? std::optional(interval{*least, *most}) : std::nullopt;
    };
    std::vector<double> shifts;
    for (const auto& benchmark : benchmarks) shifts.push_back(benchmark.difference.shift);
    difference typical{statistics::median(std::move(shifts)),
                       typical_interval(&difference::interval_95),
                       typical_interval(&difference::interval_all)};
    typical.known = finding_of(typical.interval_all, result_.basis);
    return typical;
  }

  const side& first_;
  const side& second_;
  bool is_swapped_ = false;
  std::vector<pair_of_sides> pairs_;
  std::map<std::pair<group_key, gate::benchmark_class>, std::vector<compared_benchmark>> groups_;
  comparison_result result_;
};

}  // namespace

finding finding_of(const std::optional<statistics::interval>& interval_all, basis of) {
  if (!interval_all) return finding::no_interval;
  const auto sign = statistics::sign_of(*interval_all);
  if (sign == 0) return finding::not_told;
  if (of == basis::repetitions) return finding::needs_runs;
  return sign > 0 ? finding::slower : finding::faster;
}

comparison_result compare(const side& first, const side& second) {
  auto runs = first.runs;
  runs.insert(runs.end(), second.runs.begin(), second.runs.end());
  gate::require_comparable(runs);
  return comparing(first, second).result();
}

}  // namespace bench_transfers::comparison
