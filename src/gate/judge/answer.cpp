#include "src/gate/judge/answer.hpp"

#include <algorithm>
#include <cmath>

namespace bench_transfers::gate {
namespace {

template <class Condition>
std::size_t count_findings(const report& answer, Condition condition) {
  return static_cast<std::size_t>(std::ranges::count_if(answer.findings, condition));
}

}  // namespace

double slowdown(double shift) { return std::expm1(shift); }

const std::optional<benchmark_judgement>& finding::deciding() const {
  switch (decided_by) {
    case figure::mean: return by_mean;
    case figure::fastest: return by_fastest;
    case figure::own: break;
  }
  return judgement;
}

bool finding::is_doubted_by_fastest() const {
  return result == verdict::ambiguous && has_note<remarks::fastest_not_slower>();
}

std::size_t report::count(verdict result) const {
  return count_findings(*this,
                        [&](const finding& benchmark) { return benchmark.result == result; });
}

std::size_t report::advisory() const { return count_findings(*this, &finding::advisory); }

std::size_t report::compared() const {
  return count_findings(*this,
                        [](const finding& benchmark) { return benchmark.judgement.has_value(); });
}

std::size_t report::in_baseline() const { return findings.size() - count(verdict::added); }

std::size_t report::missing() const { return count_findings(*this, &finding::is_missing); }

std::size_t report::not_measured() const {
  return count_findings(*this, &finding::has_note<remarks::not_measured>);
}

std::size_t report::not_measured_nor_allowed() const {
  return count_findings(*this, [](const finding& benchmark) {
    return benchmark.has_note<remarks::not_measured>() && benchmark.is_missing();
  });
}

std::size_t report::differences() const {
  return static_cast<std::size_t>(std::ranges::count(changed, false, &changed_fact::allowed));
}

bool report::has_too_few_runs() const { return processes_after < least_new_processes; }

}  // namespace bench_transfers::gate
