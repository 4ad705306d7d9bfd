#include "src/doctor/finding.hpp"

#include <algorithm>

namespace bench_transfers::doctor {

const char* to_string(severity severity) {
  switch (severity) {
    case severity::slows: return "slows";
    case severity::may_slow: return "may_slow";
  }
  return "";
}

const char* to_string(cost::source source) {
  switch (source) {
    case cost::source::pcie_rates: return "pcie_rates";
    case cost::source::recorded_run: return "recorded_run";
    case cost::source::published: return "published";
    case cost::source::measured: return "measured";
  }
  return "";
}

const char* to_string(verdict shown) {
  switch (shown) {
    case verdict::healthy: return "healthy";
    case verdict::findings: return "findings";
    default: return "not_known";
  }
}

verdict conclude(const diagnosis& diagnosis) {
  const auto& unknowns = diagnosis.unknowns;
  if (std::ranges::any_of(unknowns, [](const auto& unknown) { return unknown.code == "no_gpu"; }))
    return verdict::not_known;
  if (!diagnosis.findings.empty()) return verdict::findings;
  return std::ranges::any_of(unknowns, &unknown::decides) ? verdict::not_known : verdict::healthy;
}

}  // namespace bench_transfers::doctor
