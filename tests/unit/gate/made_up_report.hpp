#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/gate/judge/answer.hpp"

namespace bench_transfers::gate {

/// A benchmark as a check finds it, slower by a part of its time.
inline finding compared(std::string name, verdict result, double slower_by,
                        double before_ns = 1e6) {
  finding benchmark;
  benchmark.name = std::move(name);
  benchmark.result = result;
  benchmark.kind = benchmark_class::link;
  benchmark.threshold = 0.02;
  benchmark.before = before_ns;
  benchmark.after = before_ns * (1 + slower_by);
  benchmark.judgement = benchmark_judgement{};
  benchmark.judgement->shift = std::log1p(slower_by);
  benchmark.judgement->p = result == verdict::slower      ? 1e-6
                           : result == verdict::ambiguous ? 0.02
                                                          : 1;
  benchmark.judgement->detectable = std::log1p(0.025);
  benchmark.judgement->detectable_surely = std::log1p(0.03);
  benchmark.judgement->resolution = std::log1p(0.01);
  return benchmark;
}

inline finding without_figures(std::string name, verdict result,
                               std::optional<remark> message = std::nullopt) {
  finding benchmark;
  benchmark.name = std::move(name);
  benchmark.result = result;
  benchmark.kind = benchmark_class::link;
  benchmark.note = std::move(message);
  return benchmark;
}

/// The class of all made-up findings.
inline class_answer link_class(exit_code code, const std::vector<finding>& findings) {
  class_answer part;
  part.kind = benchmark_class::link;
  part.code = code;
  for (const auto& benchmark : findings) {
    const bool is_tested = benchmark.result == verdict::slower ||
                           benchmark.result == verdict::faster ||
                           benchmark.result == verdict::unchanged;
    part.benchmarks += benchmark.result != verdict::added && !benchmark.excused ? 1 : 0;
    part.compared += benchmark.judgement ? 1 : 0;
    part.tested += is_tested ? 1 : 0;
  }
  return part;
}

inline common_shift shift_of_all(double shift, double explained, bool changed) {
  return {.kind = benchmark_class::link,
          .benchmarks = 20,
          .shift = shift,
          .explained = explained,
          .changed = changed};
}

inline report report_of(exit_code code, std::vector<finding> findings,
                        std::vector<reason> reasons = {}) {
  report report;
  report.code = code;
  report.device = "Made-up GPU";
  report.processes_before = 10;
  report.sessions_before = 2;
  report.processes_after = 3;
  report.sessions_after = 1;
  report.classes = {link_class(code, findings)};
  report.findings = std::move(findings);
  report.reasons = std::move(reasons);
  return report;
}

}  // namespace bench_transfers::gate
