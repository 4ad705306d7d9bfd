#include "src/gate/report/wording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "src/common/printable.hpp"
#include "src/gate/model/run.hpp"
#include "src/gate/report/figures.hpp"
#include "src/gate/report/overloaded.hpp"

namespace bench_transfers::gate {
namespace {

std::string verb(std::size_t count) { return count == 1 ? "is" : "are"; }

/// "the 24 benchmarks that bandwidth decides are 3.12 % slower as a whole"
std::string shift_text(std::size_t benchmarks, bool latency_bound, double slowdown) {
  return fmt::format("the {} benchmarks that {} decides are {} {} as a whole", benchmarks,
                     latency_bound ? "latency" : "bandwidth", percent_text(std::abs(slowdown)),
                     slowdown > 0 ? "slower" : "faster");
}

std::string too_few_text(const reasons::too_few_can_show& cause, const limits& limits) {
  const auto benchmarks = counted(cause.benchmarks, "benchmark");
  const auto* const explanation = cause.compared < cause.benchmarks
                                      ? "the others are missing or too noisy"
                                  : cause.can_show == 0 ? "all are too noisy"
                                                        : "the others are too noisy";
  return fmt::format("{} can show a slowdown of the threshold ({}): {}",
                     cause.can_show == 0 ? fmt::format("none of {}", benchmarks)
                                         : fmt::format("only {} of {}", cause.can_show, benchmarks),
                     thresholds_text(limits), explanation);
}

/// "1 of 40 benchmarks slower, copy/pinned/h2d/1MiB by 10.0 %"
std::string slower_text(const report& answer) {
  const auto worst = std::ranges::find(answer.findings, verdict::slower, &finding::result);
  return fmt::format("{} of {} slower, {} by {}", answer.count(verdict::slower),
                     counted(answer.compared(), "benchmark"), worst->name,
                     percent_text(slowdown(worst->judgement->shift)));
}

std::string none_slower_text(const report& answer) {
  const auto sensitive = answer.sensitive();
  const auto& limits = answer.question.limits;
  return fmt::format(
      "{} that can show a slowdown of {} ({} where latency decides) is {}slower",
      sensitive == 1 ? "the one benchmark" : fmt::format("none of the {} benchmarks", sensitive),
      limit_text(limits.threshold), limit_text(limits.latency_threshold),
      sensitive == 1 ? "not " : "");
}

std::vector<std::string> verdict_parts(const report& answer) {
  std::vector<std::string> parts;
  if (answer.count(verdict::slower) > 0) parts.push_back(slower_text(answer));
  if (answer.code == exit_code::pass) {
    parts.push_back(none_slower_text(answer));
    if (const auto noisy = answer.advisory(); noisy > 0)
      parts.push_back(fmt::format("{} {} too noisy to tell", noisy, verb(noisy)));
  }
  if (answer.code == exit_code::inconclusive)
    for (const auto& cause : answer.reasons)
      parts.push_back(sentence_of(cause, answer.question.limits));
  return parts;
}

}  // namespace

std::string sentence_of(const reason& cause, const limits& limits) {
  using namespace reasons;
  return std::visit(
      overloaded{
          [](const machine_differs& r) {
            return fmt::format("the machine or the settings differ from the baseline's ({})",
                               counted(r.differences, "difference"));
          },
          [](const too_few_runs& r) {
            return fmt::format("only {}, and a verdict needs {}", counted(r.runs, "run"), r.needed);
          },
          [](const benchmarks_missing& r) {
            return fmt::format("{} of the baseline's benchmarks {} missing or failed", r.count,
                               verb(r.count));
          },
          [](const environment_changed& r) {
            return "the environment changed: " +
                   shift_text(r.benchmarks, r.latency_bound, r.slowdown);
          },
          [](const ambiguous& r) {
            return fmt::format("{} ambiguous: more runs would tell",
                               counted(r.count, "benchmark is", "benchmarks are"));
          },
          [](const too_noisy&) {
            return std::string(
                "too noisy: in nine of ten benchmarks even a slowdown of three times the "
                "threshold would go unnoticed");
          },
          [&](const too_few_can_show& r) { return too_few_text(r, limits); },
          [](const nothing_compared&) { return std::string("no benchmark could be compared"); }},
      cause);
}

std::string sentence_of(const note& message) {
  using namespace notes;
  return std::visit(
      overloaded{
          [](const faults_injected& n) {
            return fmt::format("{} has faults injected on purpose: {}", n.file,
                               fmt::join(n.faults, ", "));
          },
          [](const interrupted& n) { return n.file + " was interrupted"; },
          [](const no_fingerprint&) {
            return std::string(
                "these files do not describe their machine, so whether it is the same is not "
                "checked");
          },
          [](const settings_not_covered&) {
            return std::string(
                "the baseline has format 1, whose digest does not cover its settings and its "
                "machine: changes to them go unnoticed; pin a new one");
          },
          [](const one_session&) {
            return std::string(
                "the baseline has a single session: how much sessions differ is estimated from "
                "this "
                "check alone, or assumed");
          },
          [](const measured_again& n) {
            return fmt::format(
                "{} measured again, {} runs of each program in turn; their verdict is from these "
                "runs",
                counted(n.suspects, "suspect was", "suspects were"), n.runs);
          }},
      message);
}

std::string sentence_of(const remark& message) {
  using namespace remarks;
  return std::visit(
      overloaded{
          [](const failed& r) { return fmt::format("failed in {} of {} runs", r.failed, r.runs); },
          [](const no_such_field& r) {
            return fmt::format("has no repetitions with '{}'", r.field);
          },
          [](const not_measured&) { return std::string("not measured"); },
          [](const measured_by_some& r) {
            return fmt::format("measured by {} of {} runs", r.measured, r.runs);
          },
          [](const too_few_runs& r) {
            return fmt::format("measured by {} of {} runs, {} are needed", r.measured, r.runs,
                               r.needed);
          },
          [](const measured_in_turn& r) {
            return fmt::format("in turn: {}, p {}", signed_percent_text(r.slowdown), p_text(r.p));
          },
          [](const not_measured_again&) {
            return std::string("could not be measured again with both programs");
          }},
      message);
}

std::string sentence_of(const pin_warning& warning) {
  using namespace pin_warnings;
  return std::visit(
      overloaded{[](const interrupted& w) {
                   return fmt::format(
                       "{} was interrupted: benchmarks that it lacks have fewer runs", w.file);
                 },
                 [](const no_such_field& w) {
                   return fmt::format("{} has no repetitions with '{}' in {}: not used there",
                                      w.benchmark, w.field, w.file);
                 },
                 [](const failed& w) {
                   return fmt::format("{} failed in {}: not used there", w.benchmark, w.file);
                 },
                 [](const left_out& w) {
                   return fmt::format("{} is left out: only {} of {} runs have measured it",
                                      w.benchmark, w.measured, w.runs);
                 },
                 [](const lacking_field& w) {
                   return fmt::format(
                       "{} left out of runs in which they have no {}, for example {}",
                       counted(w.benchmarks, "benchmark is", "benchmarks are"), w.field, w.first);
                 },
                 [](const few_runs& w) {
                   return fmt::format(
                       "{} runs only: {} or more find smaller slowdowns (see gate_transfers power)",
                       w.runs, w.recommended);
                 },
                 [](const one_session&) {
                   return std::string(
                       "all runs are of one session (one hour, one start of the machine), so they "
                       "do not show "
                       "how much sessions differ: checks will estimate or assume it; add runs of "
                       "another day");
                 }},
      warning);
}

std::string thresholds_text(const limits& limits) {
  return fmt::format("{}, {} where latency decides", limit_text(limits.threshold),
                     limit_text(limits.latency_threshold));
}

std::string verdict_sentence(const report& answer) {
  const auto* const where = answer.on_host ? " on the host device (no GPU)" : "";
  return fmt::format("{}{}: {}", to_string(answer.code), where,
                     fmt::join(verdict_parts(answer), "; "));
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

std::string class_sentence(const common_shift& shared) {
  auto text = shift_text(shared.benchmarks, shared.latency_bound, slowdown(shared.shift));
  if (shared.explained > 0)
    text += fmt::format(" (sessions of the baseline explain up to {})",
                        percent_text(slowdown(shared.explained)));
  if (shared.changed) text += ": the environment changed";
  return text;
}

std::string verdict_text(const report& answer, verdict result) {
  const bool is_judged = result != verdict::missing || !answer.has_too_few_runs();
  return is_judged ? to_string(result) : "not judged";
}

std::string changed_title(const report& answer) {
  const auto is_setting = [](const changed_fact& change) {
    return change.fact.key.starts_with("settings.");
  };
  const auto settings = std::ranges::count_if(answer.changed, is_setting);
  const bool all = std::cmp_equal(settings, answer.changed.size());
  return fmt::format("{} not as {}, which may explain the rest:",
                     all            ? "The settings are"
                     : settings > 0 ? "The machine and the settings are"
                                    : "The machine is",
                     settings > 0 ? "they were" : "it was");
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
                     count, answer.compared(), verb(count),
                     thresholds_text(answer.question.limits));
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
