#include "src/gate/report/figures.hpp"

#include <fmt/format.h>

#include "src/common/figures.hpp"
#include "src/common/text.hpp"
#include "src/gate/report/wording.hpp"

namespace bench_transfers::gate {
namespace {

constexpr const char* none = "-";

}  // namespace

std::vector<const finding*> findings_of(const report& answer, verdict result) {
  std::vector<const finding*> findings;
  for (const auto& benchmark : answer.findings)
    if (benchmark.result == result) findings.push_back(&benchmark);
  return findings;
}

std::string value_text(double value, const metric& judged_by) {
  if (judged_by.is_time()) return common::time_figure(judged_by.nanoseconds(value));
  const auto unit = judged_by.unit();
  if (unit == "GB/s") return common::rate_figure(value);
  if (unit == "B/s") return common::in_unit(value, common::byte_rates);
  if (unit == "1/s") return common::in_unit(value, {"/s", "k/s", "M/s", "G/s"});
  if (unit == "%") return common::four_digits(value) + " %";
  return common::four_digits(value);
}

std::string value_text(const std::optional<double>& value, const metric& judged_by) {
  return value ? value_text(*value, judged_by) : none;
}

std::string unit_left_out(const metric& judged_by) {
  const auto unit = judged_by.unit();
  const bool is_shown = judged_by.is_time() || unit == "GB/s" || unit == "B/s" || unit == "1/s" ||
                        unit == "%" || unit == "1";
  return is_shown ? "" : common::printable_in_short(unit);
}

std::string percent_text(double part) { return common::percent_figure(part); }
std::string signed_percent_text(double part) { return common::percent_figure(part, true); }

std::string detectable_text(double part) { return part <= 1 ? percent_text(part) : "> 100 %"; }

std::string limit_text(double part) { return fmt::format("{:g} %", 100 * part); }

std::string p_text(double p) {
  constexpr double least = 1e-4;
  if (p < least) return "<0.0001";
  return p < 0.0995 ? fmt::format("{:.2g}", p) : fmt::format("{:.2f}", p);
}

cells cells_of(const finding& benchmark, const metric& judged_by) {
  cells texts{value_text(benchmark.before, judged_by), value_text(benchmark.after, judged_by), none,
              none, none};
  if (!benchmark.judgement) return texts;
  texts.slower_by = signed_percent_text(slowdown(benchmark.judgement->shift));
  texts.detectable =
      detectable_text(slowdown(benchmark.judgement->detectable)) + (benchmark.advisory ? " *" : "");
  if (benchmark.result != verdict::faster) texts.p = p_text(benchmark.judgement->p);
  return texts;
}

std::string why_text(const finding& benchmark) {
  const std::string why = benchmark.note ? sentence_of(*benchmark.note) : "";
  return why + (benchmark.excused ? (why.empty() ? "allowed" : ", allowed") : "");
}

exports::table table_of(const report& answer, const std::vector<const finding*>& findings) {
  using exports::cells;
  exports::table table{"",
                       {{"benchmark", cells::codes},
                        {"before", cells::numbers, 11},
                        {"after", cells::numbers, 11},
                        {"slower by", cells::numbers, 10},
                        {"p", cells::numbers, 7},
                        {"detectable", cells::numbers, 12}}};
  for (const auto* const benchmark : findings) {
    const auto texts = cells_of(*benchmark, answer.judged_by);
    table.rows.push_back({{benchmark->name, texts.before, texts.after, texts.slower_by, texts.p,
                           texts.detectable + (benchmark->advisory ? "" : "  ")},
                          benchmark->note ? sentence_of(*benchmark->note) : ""});
  }
  return table;
}

}  // namespace bench_transfers::gate
