#include "src/gate/report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "src/common/text.hpp"
#include "src/gate/report/wording.hpp"

namespace bench_transfers::gate {
namespace {

constexpr const char* none = "-";

/// Four significant digits, without an exponent unless the number is very large or small.
std::string digits(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e6 || size < 1e-3) return fmt::format("{:.3e}", value);
  if (size >= 999.95) return fmt::format("{:.0f}", value);
  if (size >= 99.995) return fmt::format("{:.1f}", value);
  if (size >= 9.9995) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3f}", value);
}

using units = std::array<std::string_view, 4>;
constexpr units times{"ns", "µs", "ms", "s"};
constexpr units rates{"/s", "k/s", "M/s", "G/s"};
constexpr units byte_rates{"B/s", "kB/s", "MB/s", "GB/s"};

/// With the first unit that leaves less than a thousand. Each unit is a thousand times its
/// predecessor.
std::string in_unit(double value, const units& names) {
  std::size_t i = 0;
  double scale = 1;
  for (; i + 1 < names.size() && value >= 999.95 * scale; ++i) scale *= 1000;
  return fmt::format("{} {}", digits(value / scale), names.at(i));
}

/// Three digits of a percentage, or of how many times as long: "a factor of 124", "×124".
std::string percent_digits(double part, bool with_sign) {
  constexpr double least = 0.005;  // less is shown as zero, which has no minus
  const double percent = std::abs(100 * part) < least ? 0 : 100 * part;
  const double size = std::abs(percent);
  const std::string sign = with_sign ? "+" : "";
  constexpr double most = 9999.5;
  if (!(percent < most)) return (with_sign ? "×" : "a factor of ") + digits(1 + part);
  const auto* const form = size < 9.995 ? ".2f" : size < 99.95 ? ".1f" : ".0f";
  return fmt::format(fmt::runtime("{:" + sign + form + "} %"), percent);
}

}  // namespace

std::vector<const finding*> findings_of(const report& answer, verdict result) {
  std::vector<const finding*> findings;
  for (const auto& benchmark : answer.findings)
    if (benchmark.result == result) findings.push_back(&benchmark);
  return findings;
}

std::string value_text(double value, const metric& judged_by) {
  if (judged_by.is_time()) return in_unit(judged_by.nanoseconds(value), times);
  const auto unit = judged_by.unit();
  if (unit == "GB/s") return in_unit(value * 1e9, byte_rates);
  if (unit == "B/s") return in_unit(value, byte_rates);
  if (unit == "1/s") return in_unit(value, rates);
  if (unit == "%") return digits(value) + " %";
  return digits(value);
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

std::string percent_text(double part) { return percent_digits(part, false); }
std::string signed_percent_text(double part) { return percent_digits(part, true); }

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
