#include "src/gate/report/wording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "src/common/text.hpp"
#include "src/gate/model/identity.hpp"
#include "src/gate/model/run.hpp"
#include "src/gate/report/figures.hpp"
#include "src/gate/report/wording_parts.hpp"

namespace bench_transfers::gate {
namespace {

/// "link 2 %, host 10 %"
std::string thresholds_of_classes(const report& answer) {
  std::vector<std::string> texts;
  for (const auto& part : answer.classes)
    texts.push_back(
        fmt::format("{} {}", to_string(part.kind), limit_of(part.kind, answer.question.limits)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string thresholds_text(const limits& limits) {
  return fmt::format("{}, {} where latency decides", limit_text(limits.threshold),
                     limit_text(limits.latency_threshold));
}

std::string metric_text(const metric& judged_by) {
  auto text = common::printable(judged_by.key);
  if (const auto unit = unit_left_out(judged_by); !unit.empty()) text += " in " + unit;
  if (!judged_by.is_time())
    text += judged_by.more_is_better ? " (more is better)" : " (less is better)";
  return text + (judged_by.fastest_repetition ? " of the fastest repetition" : "");
}

std::string origin_sentence(const report& answer) {
  return fmt::format(
      "{}: {} of {} against a baseline of {} of {}, judged by {}",
      device_label(answer.device, answer.on_host), counted(answer.processes_after, "run"),
      counted(answer.sessions_after, "session"), counted(answer.processes_before, "run"),
      counted(answer.sessions_before, "session"), metric_text(answer.judged_by));
}

std::string changed_text(const changed_fact& change) {
  const auto& [key, before, after] = change.fact;
  return fmt::format("was {}, is {}{}", before.empty() ? "unknown" : before,
                     after.empty() ? "unknown" : after, change.allowed ? " (allowed)" : "");
}

std::string verdict_text(const report& answer, verdict result) {
  if (result == verdict::missing && answer.has_too_few_runs()) return "not judged";
  return result == verdict::not_known ? "not known" : to_string(result);
}

std::string changed_title(const report& answer) {
  bool machine = false, settings = false, times = false;
  for (const auto& change : answer.changed) {
    const bool is_setting = change.fact.key.starts_with("settings.");
    const bool is_time = change.fact.key == started_key;
    settings = settings || is_setting;
    times = times || is_time;
    machine = machine || (!is_setting && !is_time);
  }
  std::vector<std::string> parts;
  if (machine) parts.emplace_back("the machine");
  if (settings) parts.emplace_back("the settings");
  if (times) parts.emplace_back("the times of the runs");
  auto text = fmt::format("{}", fmt::join(parts, " and "));
  text.front() = 'T';
  const bool is_one = machine && parts.size() == 1;
  return fmt::format("{} {} not as {}, which may explain the rest:", text, is_one ? "is" : "are",
                     is_one ? "it was" : "they were");
}

std::string counts_sentence(const report& answer) {
  std::vector<std::string> parts;
  for (const auto result : worst_first) {
    const auto count = answer.count(result);
    if (count == 0) continue;
    parts.push_back(fmt::format("{} {}", count, verdict_text(answer, result)));
    if (result != verdict::missing) continue;
    if (const auto excused = count - answer.missing(); excused > 0)
      parts.back() += fmt::format(" ({} of them allowed)", excused);
  }
  return fmt::format("{}: {}", counted(answer.findings.size(), "benchmark"),
                     fmt::join(parts, ", "));
}

std::string advisory_sentence(const report& answer) {
  const auto count = answer.advisory();
  if (count == 0) return "";
  return fmt::format("{} of {} {} advisory (*): noise would hide a slowdown of the threshold ({})",
                     count, answer.compared(), verb(count), thresholds_of_classes(answer));
}

std::string figures_sentence(const finding& benchmark, const metric& judged_by) {
  const auto texts = cells_of(benchmark, judged_by);
  return fmt::format("before {}, after {}, slower by {}, p {}, detectable {}{}", texts.before,
                     texts.after, texts.slower_by, texts.p, texts.detectable,
                     benchmark.note ? "; " + sentence_of(*benchmark.note) : "");
}

std::string measuring_again_text(std::size_t finished, std::size_t runs) {
  return fmt::format("measuring suspects again, {} of {} runs", finished, runs);
}

}  // namespace bench_transfers::gate
