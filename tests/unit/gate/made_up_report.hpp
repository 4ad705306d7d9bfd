#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/gate/judge/answer.hpp"

namespace bench_transfers::gate {

/// A benchmark as a check finds it, slower by a part of its time.
inline finding compared(std::string name, verdict found, double slower_by, double before_ns = 1e6) {
  finding made;
  made.name = std::move(name);
  made.result = found;
  made.threshold = 0.02;
  made.before = before_ns;
  made.after = before_ns * (1 + slower_by);
  made.judgement = benchmark_judgement{};
  made.judgement->shift = std::log1p(slower_by);
  made.judgement->p = found == verdict::slower ? 1e-6 : found == verdict::ambiguous ? 0.02 : 1;
  made.judgement->detectable = std::log1p(0.025);
  made.judgement->detectable_surely = std::log1p(0.03);
  made.judgement->resolution = std::log1p(0.01);
  return made;
}

inline finding without_figures(std::string name, verdict found,
                               std::optional<remark> why = std::nullopt) {
  finding made;
  made.name = std::move(name);
  made.result = found;
  made.note = std::move(why);
  return made;
}

inline report report_of(exit_code code, std::vector<finding> lines,
                        std::vector<reason> reasons = {}) {
  report made;
  made.code = code;
  made.device = "Made-up GPU";
  made.processes_before = 10;
  made.sessions_before = 2;
  made.processes_after = 3;
  made.sessions_after = 1;
  made.findings = std::move(lines);
  made.reasons = std::move(reasons);
  return made;
}

}  // namespace bench_transfers::gate
