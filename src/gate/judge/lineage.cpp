#include "src/gate/judge/lineage.hpp"

#include <algorithm>
#include <map>

#include "src/gate/judge/answer.hpp"
#include "src/gate/judge/baseline_sessions.hpp"
#include "src/gate/judge/observe.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::gate {
namespace {

bool are_most_slower(const std::vector<double>& processes, double reference) {
  const auto slower = std::ranges::count_if(processes, [&](double c) { return c > reference; });
  return 4 * slower >= 3 * std::ssize(processes);
}

/// Collects benchmarks that are slower than their references.
class comparison_with {
 public:
  comparison_with(const baseline& baseline, const limits& limits)
      : judged_by_(baseline.judged_by), limits_(limits) {}

  void add(const std::string& name, const observation& observed, double reference) {
    const double shift =
        cost(centre_of(observed.before, judged_by_), judged_by_) - cost(reference, judged_by_);
    const bool is_slower = slowdown(shift) > limits_.threshold_for(observed.kind) &&
                           are_most_slower(joined(observed.before), cost(reference, judged_by_));
    if (!is_slower) return;
    ++result_.count;
    if (slowdown(shift) > result_.slowdown) {
      result_.worst = name;
      result_.slowdown = slowdown(shift);
    }
  }

  [[nodiscard]] const slower_benchmarks& result() const { return result_; }

 private:
  const metric& judged_by_;
  const limits& limits_;
  slower_benchmarks result_;
};

}  // namespace

bool is_comparable(const baseline& earlier, const baseline& next) {
  return earlier.judged_by.key == next.judged_by.key &&
         earlier.judged_by.fastest_repetition == next.judged_by.fastest_repetition &&
         earlier.judged_by.more_is_better == next.judged_by.more_is_better &&
         earlier.on_host == next.on_host && earlier.ours == next.ours;
}

void continue_line(const baseline& earlier, baseline& next) {
  if (!is_comparable(earlier, next)) return;
  const auto before = observe(earlier);
  for (auto& [name, history] : next.benchmarks) {
    const auto known = earlier.benchmarks.find(name);
    if (known == earlier.benchmarks.end() || is_other_procedure(known->second.work, history.work))
      continue;
    history.reference =
        known->second.reference.value_or(centre_of(before.at(name).before, earlier.judged_by));
  }
}

slower_benchmarks slower_than(const baseline& earlier, const baseline& next, const limits& limits) {
  comparison_with comparison(next, limits);
  if (!is_comparable(earlier, next)) return {};
  const auto before = observe(earlier);
  for (const auto& [name, observed] : observe(next))
    if (const auto known = before.find(name);
        known != before.end() &&
        !is_other_procedure(earlier.benchmarks.at(name).work, next.benchmarks.at(name).work))
      comparison.add(name, observed, centre_of(known->second.before, earlier.judged_by));
  return comparison.result();
}

slower_benchmarks slower_than_first(const baseline& next, const limits& limits) {
  comparison_with comparison(next, limits);
  for (const auto& [name, observed] : observe(next))
    if (const auto& reference = next.benchmarks.at(name).reference)
      comparison.add(name, observed, *reference);
  return comparison.result();
}

std::vector<class_slowdown> crept_classes(const baseline& next, const limits& limits) {
  const auto& judged_by = next.judged_by;
  std::map<benchmark_class, std::vector<double>> shifts;
  for (const auto& [name, observed] : observe(next))
    if (const auto& reference = next.benchmarks.at(name).reference)
      shifts[observed.kind].push_back(cost(centre_of(observed.before, judged_by), judged_by) -
                                      cost(*reference, judged_by));
  std::vector<class_slowdown> crept;
  for (auto& [kind, of_class] : shifts) {
    if (of_class.size() < least_class_size) continue;
    const double whole = slowdown(statistics::median(std::move(of_class)));
    if (whole > limits.threshold_for(kind)) crept.push_back({kind, whole});
  }
  return crept;
}

std::vector<class_slowdown> distant_sessions(const baseline& baseline, const limits& limits) {
  std::vector<class_slowdown> distances;
  for (const auto& [kind, observations] : observe_classes(baseline)) {
    const auto common = common_of_sessions(observations);
    if (common.size() < 2) continue;
    const auto [least, most] = std::ranges::minmax(common);
    if (const double apart = slowdown(most - least); apart > limits.threshold_for(kind))
      distances.push_back({kind, apart});
  }
  return distances;
}

}  // namespace bench_transfers::gate
