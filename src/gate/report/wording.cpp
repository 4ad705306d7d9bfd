#include "src/gate/report/wording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "src/common/printable.hpp"

namespace bench_transfers::gate {
namespace {

constexpr const char* none = "-";

/// Four significant digits, without an exponent as long as that stays short.
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

/// With the first unit that leaves less than a thousand; each is a thousand times the last.
std::string in_unit(double value, const units& all) {
  std::size_t i = 0;
  double scale = 1;
  for (; i + 1 < all.size() && value >= 999.95 * scale; ++i) scale *= 1000;
  return fmt::format("{} {}", digits(value / scale), all.at(i));
}

/// Three digits of a percentage; from where nobody asks how much it is exactly, "> 9999 %".
std::string percent_digits(double part, bool with_sign) {
  const double percent = 100 * part;
  const double size = std::abs(percent);
  const std::string sign = with_sign ? "+" : "";
  constexpr double most = 9999.5;
  if (!(percent < most)) return fmt::format("> {}9999 %", sign);
  const auto* const form = size < 9.995 ? ".2f" : size < 99.95 ? ".1f" : ".0f";
  return fmt::format(fmt::runtime("{:" + sign + form + "} %"), percent);
}

std::string class_name(bool latency_bound) { return latency_bound ? "latency" : "bandwidth"; }

std::size_t unexcused(const report& answer) {
  return static_cast<std::size_t>(std::ranges::count_if(
      answer.lines, [](const line& one) { return one.found == verdict::missing && !one.excused; }));
}

}  // namespace

std::vector<const line*> lines_of(const report& answer, verdict found) {
  std::vector<const line*> lines;
  for (const auto& one : answer.lines)
    if (one.found == found) lines.push_back(&one);
  return lines;
}

std::string value_text(double value, const metric& judged_by) {
  const auto& key = judged_by.key;
  if (judged_by.is_time()) return in_unit(value, times);
  if (key.ends_with("gb_per_s")) return in_unit(value * 1e9, byte_rates);
  if (key == "bytes_per_second") return in_unit(value, byte_rates);
  if (key.ends_with("_per_second") || key.ends_with("_per_s")) return in_unit(value, rates);
  if (key.ends_with("_percent")) return digits(value) + " %";
  return digits(value);
}

std::string value_text(const std::optional<double>& value, const metric& judged_by) {
  return value ? value_text(*value, judged_by) : none;
}

std::string percent_text(double part) { return percent_digits(part, false); }
std::string signed_percent_text(double part) { return percent_digits(part, true); }

std::string limit_text(double part) { return fmt::format("{:g} %", 100 * part); }

std::string thresholds_text(const limits& allowed) {
  return fmt::format("{}, {} where latency decides", limit_text(allowed.threshold),
                     limit_text(allowed.latency_threshold));
}

std::string p_text(double p) {
  constexpr double least = 1e-4;
  if (p < least) return "<0.0001";
  return p < 0.0995 ? fmt::format("{:.2g}", p) : fmt::format("{:.2f}", p);
}

std::string counted(std::size_t count, const std::string& one, const std::string& several) {
  return fmt::format("{} {}", count, count == 1 ? one : several.empty() ? one + "s" : several);
}

std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80; }));
}

cells cells_of(const line& one, const metric& judged_by) {
  cells texts{value_text(one.before, judged_by), value_text(one.after, judged_by), none, none,
              none};
  if (!one.judgement) return texts;
  texts.slower_by = signed_percent_text(slowdown(one.judgement->shift));
  texts.detectable = percent_text(slowdown(one.judgement->detectable)) + (one.advisory ? " *" : "");
  if (one.found != verdict::faster) texts.p = p_text(one.judgement->p);
  return texts;
}

std::string verdict_word(exit_code code) {
  switch (code) {
    case exit_code::pass: return "PASS";
    case exit_code::regression: return "REGRESSION";
    case exit_code::bad_input:
    case exit_code::inconclusive: break;
  }
  return "INCONCLUSIVE";
}

std::string verdict_sentence(const report& answer) {
  const std::string where = answer.on_host ? " on the host device (no GPU)" : "";
  const auto slower = answer.count(verdict::slower);
  std::vector<std::string> parts;
  if (slower > 0) {
    const auto worst = std::ranges::find(answer.lines, verdict::slower, &line::found);
    parts.push_back(fmt::format("{} of {} slower, {} by {}", slower,
                                counted(answer.compared(), "benchmark"), worst->name,
                                percent_text(slowdown(worst->judgement->shift))));
  }
  if (answer.code == exit_code::pass) {
    const auto noisy = answer.advisory();
    const auto telling = answer.telling();
    parts.push_back(fmt::format(
        "{} that can show a slowdown of {} ({} where latency decides) is {}slower",
        telling == 1 ? "the one benchmark" : fmt::format("none of the {} benchmarks", telling),
        limit_text(answer.asked.allowed.threshold),
        limit_text(answer.asked.allowed.latency_threshold), telling == 1 ? "not " : ""));
    if (noisy > 0)
      parts.push_back(fmt::format("{} {} too noisy to tell", noisy, noisy == 1 ? "is" : "are"));
  }
  if (answer.code == exit_code::inconclusive)
    parts.insert(parts.end(), answer.reasons.begin(), answer.reasons.end());
  return fmt::format("{}{}: {}", verdict_word(answer.code), where, fmt::join(parts, "; "));
}

std::string metric_text(const metric& judged_by) {
  const auto* const direction = judged_by.is_time()        ? ""
                                : judged_by.more_is_better ? " (more is better)"
                                                           : " (less is better)";
  return common::printable(judged_by.key) + direction +
         (judged_by.fastest_repetition ? " of the fastest repetition" : "");
}

std::string device_text(const std::string& device, bool on_host) {
  if (on_host) return "host device (no GPU)";
  return device.empty() ? "unknown device" : device;
}

std::string origin_sentence(const report& answer) {
  return fmt::format(
      "{}: {} of {} against a baseline of {} of {}, judged by {}",
      device_text(answer.device, answer.on_host), counted(answer.processes_after, "run"),
      counted(answer.sessions_after, "session"), counted(answer.processes_before, "run"),
      counted(answer.sessions_before, "session"), metric_text(answer.judged_by));
}

std::string changed_sentence(const changed_fact& one) {
  const auto& [key, before, after] = one.what;
  return fmt::format("{}: was {}, is {}{}", key, before.empty() ? "unknown" : before,
                     after.empty() ? "unknown" : after, one.allowed ? " (allowed)" : "");
}

std::string class_sentence(const common_shift& one) {
  const auto size = std::abs(slowdown(one.shift));
  auto text = fmt::format("the {} benchmarks that {} decides are {} {} as a whole", one.benchmarks,
                          class_name(one.latency_bound), percent_text(size),
                          one.shift > 0 ? "slower" : "faster");
  if (one.explained > 0)
    text += fmt::format(" (sessions of the baseline explain up to {})",
                        percent_text(slowdown(one.explained)));
  if (one.changed) text += ": the environment changed";
  return text;
}

std::string verdict_text(const report& answer, verdict found) {
  const bool too_few = answer.processes_after < least_new_processes;
  return too_few && found == verdict::missing ? "not judged" : to_string(found);
}

std::string changed_title(const report& answer) {
  const auto is_setting = [](const changed_fact& one) {
    return one.what.key.starts_with("settings.");
  };
  const auto settings = std::ranges::count_if(answer.changed, is_setting);
  const bool all = std::cmp_equal(settings, answer.changed.size());
  return fmt::format("{} not as {}, which may explain the rest:",
                     all            ? "The settings are"
                     : settings > 0 ? "The machine and the settings are"
                                    : "The machine is",
                     settings > 0 ? "they were" : "it was");
}

std::size_t not_measured(const report& answer, bool also_excused) {
  return static_cast<std::size_t>(std::ranges::count_if(answer.lines, [&](const line& one) {
    return one.found == verdict::missing && !one.after && one.note == "not measured" &&
           (also_excused || !one.excused);
  }));
}

std::string counts_sentence(const report& answer) {
  std::vector<std::string> parts;
  for (const auto one : worst_first) {
    const auto count = answer.count(one);
    if (count == 0) continue;
    parts.push_back(fmt::format("{} {}", count, verdict_text(answer, one)));
    if (one != verdict::missing) continue;
    if (const auto excused = count - unexcused(answer); excused > 0)
      parts.back() += fmt::format(" ({} of them allowed)", excused);
  }
  return fmt::format("{}: {}", counted(answer.lines.size(), "benchmark"), fmt::join(parts, ", "));
}

std::string advisory_sentence(const report& answer) {
  const auto count = answer.advisory();
  if (count == 0) return "";
  return fmt::format("{} of {} {} advisory (*): noise would hide a slowdown of the threshold ({})",
                     count, answer.compared(), count == 1 ? "is" : "are",
                     thresholds_text(answer.asked.allowed));
}

std::string too_little_sentence(const report& answer) {
  const auto telling = answer.telling();
  return fmt::format(
      "{} can show a slowdown of the threshold ({}): {}",
      telling == 0
          ? fmt::format("none of {}", counted(answer.of_baseline(), "benchmark"))
          : fmt::format("only {} of {}", telling, counted(answer.of_baseline(), "benchmark")),
      thresholds_text(answer.asked.allowed),
      answer.compared() < answer.of_baseline() ? "the others are missing or too noisy"
      : telling == 0                           ? "all are too noisy"
                                               : "the others are too noisy");
}

bool more_runs_may_tell(const report& answer) {
  if (answer.code != exit_code::inconclusive) return false;
  const bool changed =
      std::ranges::any_of(answer.changed, [](const changed_fact& one) { return !one.allowed; }) ||
      std::ranges::any_of(answer.classes, &common_shift::changed);
  const bool too_few = answer.processes_after < least_new_processes;
  if (too_few) return !changed;
  // Runs that lack most benchmarks do not tell more when there are more of them.
  const bool enough_compared = !says_too_little(answer.compared(), answer.of_baseline());
  return !changed && !answer.too_noisy() && unexcused(answer) == 0 &&
         (answer.count(verdict::ambiguous) > 0 || (answer.says_too_little() && enough_compared));
}

}  // namespace bench_transfers::gate
