#include <algorithm>
#include <set>
#include <tuple>

#include "src/report/said.hpp"
#include "src/statistics/ratio.hpp"
#include "src/statistics/sample_order.hpp"

namespace bench_transfers::report {
namespace {

constexpr double always_alike = 1.01;
constexpr std::size_t large = 1 << 20;

/// Benchmarks by what must be alike: role, direction and size.
using job = std::tuple<std::string, direction, std::size_t>;
using costs = std::map<job, const measured*>;
struct candidate {
  std::string name;
  costs measured_at;
};

class grouping {
 public:
  /// By the interval of their ratio, or if nearly all pairs of repetitions agree.
  explicit grouping(bool by_interval) : by_interval_(by_interval) {}

  /// Each joins the first group with whose first member it is alike.
  std::vector<std::vector<std::string>> grouped(const std::vector<candidate>& candidates) {
    std::vector<std::vector<std::string>> groups;
    std::vector<const costs*> leaders;
    for (const auto& each : candidates) {
      const auto leader = std::ranges::find_if(leaders, [&](const costs* of_group) {
        return !each.measured_at.empty() && are_alike(*of_group, each.measured_at);
      });
      if (leader != leaders.end()) {
        groups[static_cast<std::size_t>(leader - leaders.begin())].push_back(each.name);
      } else {
        groups.push_back({each.name});
        leaders.push_back(&each.measured_at);
      }
    }
    return groups;
  }

 private:
  bool are_alike(const costs& first, const costs& second) {
    return std::ranges::equal(first, second, [&](const auto& one, const auto& other) {
      return one.first == other.first && are_alike(*one.second, *other.second);
    });
  }

  bool are_alike(const measured& first, const measured& second) {
    const auto [less, more] = std::minmax(first.median_ns, second.median_ns);
    return more / less <= always_alike ||
           (more / less <= statistics::most_apart && !differ(first, second));
  }

  /// Whether repetitions differ.
  bool differ(const measured& first, const measured& second) {
    if (by_interval_) {
      const auto interval = statistics::ratio_of(first.times_ns, second.times_ns, limits_).interval;
      return interval && !(interval->low <= 1 && 1 <= interval->high);
    }
    return statistics::nearly_all_larger(first.times_ns, second.times_ns) ||
           statistics::nearly_all_larger(second.times_ns, first.times_ns);
  }

  bool by_interval_;
  statistics::pair_limits limits_;
};

using name_of = std::string (*)(const result_file::benchmark&);

/// The plainest first.
std::vector<candidate> candidates_of(std::vector<const measured*> benchmarks, name_of name) {
  std::ranges::stable_sort(benchmarks, {}, [](const measured* benchmark) {
    return result_file::plainness_of(*benchmark->described);
  });
  std::vector<candidate> candidates;
  for (const auto* benchmark : benchmarks) {
    const auto& described = *benchmark->described;
    auto entry = std::ranges::find(candidates, name(described), &candidate::name);
    if (entry == candidates.end()) entry = candidates.insert(entry, {name(described), {}});
    entry->measured_at.try_emplace({described.role, described.direction, *described.size_bytes},
                                   benchmark);
  }
  return candidates;
}

template <class Condition>
std::vector<candidate> only(std::vector<candidate> candidates, const Condition& is_wanted) {
  for (auto& each : candidates)
    std::erase_if(each.measured_at,
                  [&](const auto& at) { return !is_wanted(std::get<2>(at.first)); });
  return candidates;
}

std::string strategy_of(const result_file::benchmark& described) { return described.strategy; }
/// A method, or a kind of memory.
std::string kind_of(const result_file::benchmark& described) {
  return described.method.value_or(described.memory.value_or(described.strategy));
}

}  // namespace

std::vector<alike> all_alike(const run& of) {
  std::vector<const measured*> transfers, memory;
  std::set<std::size_t> sizes;
  for (const auto& benchmark : of.benchmarks()) {
    const auto& described = *benchmark.described;
    if (trust::is_transfer(benchmark)) {
      transfers.push_back(&benchmark);
      sizes.insert(*described.size_bytes);
    } else if ((described.role == "allocation" || described.role == "deallocation") &&
               benchmark.bytes && described.cache == result_file::cache_state::warm) {
      memory.push_back(&benchmark);
    }
  }
  const auto copies = candidates_of(transfers, strategy_of);
  grouping by_pairs(false), by_interval(true);
  const std::string within = "Alike are strategies within 1 % of each other ";
  std::vector<alike> all{
      {"transfers", std::nullopt,
       by_pairs.grouped(only(copies, [](std::size_t size) { return size >= large; })),
       within + "at every size from 1 MiB on, or not told apart"},
      {"allocation", std::nullopt, by_pairs.grouped(candidates_of(memory, kind_of)),
       "A line stands for kinds that are not told apart."}};
  for (const auto size : sizes) {
    const auto of_size = only(copies, [&](std::size_t other) { return other == size; });
    const auto in_both = within + "in both directions, or not told apart";
    all.push_back({"transfers", size, by_pairs.grouped(of_size), in_both});
    all.push_back({"transfers_by_interval", size, by_interval.grouped(of_size),
                   in_both + " by the 95 % interval of their ratio"});
  }
  return all;
}

}  // namespace bench_transfers::report
