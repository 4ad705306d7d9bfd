#include "src/report/compared_pairs.hpp"

#include <algorithm>
#include <set>

#include "src/gate/model/bad_input.hpp"

namespace bench_transfers::report {
namespace {

/// Whether the sides have a benchmark in common.
bool have_any_in_common(const comparison::side& first, const comparison::side& second) {
  return std::ranges::any_of(first.facts,
                             [&](const auto& entry) { return second.facts.contains(entry.first); });
}

compared_pair compare(const comparable& first, const comparable& second,
                      const std::string& counter) {
  compared_pair pair;
  const auto one = first.sides.find(counter), other = second.sides.find(counter);
  pair.problem = first.problem.empty() ? second.problem : first.problem;
  if (one == first.sides.end() || other == second.sides.end() ||
      !have_any_in_common(one->second, other->second))
    return pair;
  try {
    pair.result = comparison::compare(one->second, other->second);
  } catch (const gate::bad_input& error) {
    pair.problem = error.what();
  }
  for (const auto& group : pair.result.groups)
    for (const auto& benchmark : group.benchmarks)
      pair.benchmarks.emplace(benchmark.name, benchmark);
  return pair;
}

}  // namespace

const comparison::compared_benchmark* compared_pair::find(const std::string& common_name) const {
  const auto found = benchmarks.find(common_name);
  return found == benchmarks.end() ? nullptr : &found->second;
}

compared_pairs::compared_pairs(std::span<const comparable* const> runs) {
  std::set<std::string> counters{time_counter};
  for (const auto& asked : runs.front()->questions)
    if (asked.is_compared) counters.insert(asked.counter);
  for (std::size_t second = 1; second < runs.size(); ++second)
    for (std::size_t first = 0; first < second; ++first)
      for (const auto& counter : counters)
        pairs_.emplace(key{first, second, counter}, compare(*runs[first], *runs[second], counter));
}

}  // namespace bench_transfers::report
