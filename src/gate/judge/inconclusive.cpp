#include "src/gate/judge/inconclusive.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "src/gate/model/identity.hpp"

namespace bench_transfers::gate {
namespace {

template <class... Kinds>
bool is_any_of(const reason& cause) {
  return (std::holds_alternative<Kinds>(cause) || ...);
}

/// Facts of the machine that may not differ, and do.
std::vector<std::string> differing_facts(const report& answer) {
  std::vector<std::string> keys;
  for (const auto& [fact, allowed] : answer.changed) {
    const bool is_told_by_age = fact.key == started_key && answer.older_runs > 0;
    // Each run may have another value.
    const bool is_known = std::ranges::find(keys, fact.key) != keys.end();
    if (!allowed && !is_told_by_age && !is_known) keys.push_back(fact.key);
  }
  return keys;
}

bool is_something_slower(const report& answer) {
  return answer.count(verdict::slower) > 0 ||
         std::ranges::any_of(answer.classes, &class_answer::slower_as_a_whole);
}

bool is_too_small(std::size_t part, std::size_t whole, double least = least_tested_part) {
  return part == 0 || static_cast<double>(part) < least * static_cast<double>(whole);
}

bool is_too_little_tested(const class_answer& part) {
  return is_too_small(part.tested, part.benchmarks) ||
         is_too_small(part.tested, part.all, least_tested_part_of_all);
}

/// How the class has changed as a whole, by the median or else by the mean; null if it has not.
const common_shift* changed_shift(const class_answer& part) {
  for (const auto* shared : {&part.shared, &part.shared_by_mean})
    if (*shared && (*shared)->changed) return &**shared;
  return nullptr;
}

std::optional<reason> why_too_little_tested(const class_answer& part,
                                            const class_findings& benchmarks,
                                            const report& answer) {
  if (!is_too_little_tested(part)) return std::nullopt;
  const bool is_for_lack_of_repetitions =
      part.few_repetitions > 0 &&
      !is_too_small(part.tested + part.few_repetitions, part.benchmarks);
  if (is_for_lack_of_repetitions)
    return reasons::repetitions_left_out{part.kind, part.few_repetitions};
  // Where nothing of any class is compared, or all of this one is missing, that is the reason.
  const bool is_other_class_compared = answer.compared() > part.compared;
  const bool is_something_judged =
      part.compared > 0 || (part.benchmarks == 0 && is_other_class_compared);
  // Of a class that has shifted as a whole, nothing is tested, whatever the noise.
  if (!is_something_judged || changed_shift(part) != nullptr) return std::nullopt;
  if (part.compared > 0 && is_too_small(benchmarks.not_blind(), part.compared))
    return reasons::too_noisy{part.kind};
  return reasons::too_few_can_show{part.kind, part.tested, part.compared, part.all};
}

/// Of the reasons of a class that does not decide: whether something may be much slower, or was
/// not seen.
bool vetoes(const class_answer& part, const reason& cause) {
  const auto may_be_slower = [](const std::optional<common_shift>& shared) {
    return shared && (shared->may_be_slower || shared->slower);
  };
  if (is_any_of<reasons::environment_changed>(cause))
    return may_be_slower(part.shared) || may_be_slower(part.shared_by_mean);
  if (is_any_of<reasons::repetitions_left_out>(cause)) return !part.is_half_compared();
  return is_any_of<reasons::ambiguous, reasons::seen_slower, reasons::benchmarks_missing,
                   reasons::procedures_differ, reasons::class_crept>(cause);
}

}  // namespace

std::vector<reason> reasons_of_runs(const report& answer) {
  std::vector<reason> causes;
  const auto runs = answer.processes_after;
  if (answer.older_runs > 0) causes.emplace_back(reasons::runs_older{answer.older_runs, runs});
  if (auto keys = differing_facts(answer); !keys.empty())
    causes.emplace_back(reasons::machine_differs{std::move(keys)});
  if (answer.has_too_few_runs())
    causes.emplace_back(reasons::too_few_runs{runs, least_new_processes});
  if (answer.disturbed_runs > 0 && is_something_slower(answer))
    causes.emplace_back(reasons::runs_disturbed{answer.disturbed_runs, runs});
  if (answer.compared() == 0 && answer.missing() == 0 && answer.count(verdict::not_known) == 0 &&
      answer.count(verdict::ambiguous) == 0)
    causes.emplace_back(reasons::nothing_compared{});
  return causes;
}

std::vector<reason> reasons_of_class(const class_answer& part, const class_findings& benchmarks,
                                     const report& answer) {
  std::vector<reason> causes;
  const auto kind = part.kind;
  if (const auto missing = benchmarks.missing(); missing > 0)
    causes.emplace_back(reasons::benchmarks_missing{kind, missing});
  if (const auto others = benchmarks.of_other_procedures(); others > 0)
    causes.emplace_back(reasons::procedures_differ{kind, others});
  if (const auto* shared = changed_shift(part))
    causes.emplace_back(
        reasons::environment_changed{kind, shared->benchmarks, part.all, slowdown(shared->shift)});
  if (part.crept) causes.emplace_back(reasons::class_crept{kind, *part.crept});
  if (const auto unsure = benchmarks.ambiguous(); unsure > 0)
    causes.emplace_back(reasons::ambiguous{kind, unsure});
  const auto again = benchmarks.seen_slower(sighting::unsure);
  if (const auto seen = benchmarks.seen_slower(sighting::open) + again; seen > 0)
    causes.emplace_back(reasons::seen_slower{kind, seen, again});
  if (auto untested = why_too_little_tested(part, benchmarks, answer))
    causes.push_back(std::move(*untested));
  return causes;
}

std::vector<reason> counting_reasons(const class_answer& part) {
  auto causes = part.reasons;
  if (!part.decides) std::erase_if(causes, [&](const reason& c) { return !vetoes(part, c); });
  return causes;
}

bool may_show_more(const reason& cause) {
  return is_any_of<reasons::ambiguous, reasons::seen_slower>(cause);
}

bool may_end(const reason& cause) {
  return may_show_more(cause) ||
         is_any_of<reasons::too_few_can_show, reasons::repetitions_left_out>(cause);
}

}  // namespace bench_transfers::gate
