#include "src/gate/report/wording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "src/common/message.hpp"
#include "src/common/text.hpp"
#include "src/gate/model/identity.hpp"
#include "src/gate/model/run.hpp"
#include "src/gate/report/figures.hpp"

namespace bench_transfers::gate {
namespace {

/// A visitor of variants from one function for each alternative.
template <class... Functions>
struct overloaded : Functions... {
  using Functions::operator()...;
};
/// Clang needs it up to version 16.
template <class... Functions>
overloaded(Functions...) -> overloaded<Functions...>;

std::string verb(std::size_t count) { return count == 1 ? "is" : "are"; }

std::string limit_of(benchmark_class kind, const limits& limits) {
  return limit_text(limits.threshold_for(kind));
}

/// Noise, a shift of the class or a single slow run may be the reason.
std::string too_few_text(const reasons::too_few_can_show& cause, const limits& limits) {
  const auto benchmarks = counted(cause.benchmarks, "benchmark");
  return fmt::format("{} known not to be slower by {}{}",
                     cause.can_show == 0 ? fmt::format("none of {} is", benchmarks)
                                         : fmt::format("only {} of {} {}", cause.can_show,
                                                       benchmarks, verb(cause.can_show)),
                     limit_of(cause.kind, limits),
                     cause.compared < cause.benchmarks
                         ? fmt::format(", and only {} could be compared", cause.compared)
                         : "");
}

/// "the median of 24 benchmarks is 44.7 % slower"
std::string median_text(const reasons::environment_changed& cause) {
  return fmt::format("the median of {}{} is {} {}",
                     cause.benchmarks < cause.of ? fmt::format("{} of ", cause.benchmarks) : "",
                     counted(cause.of, "benchmark"), percent_text(std::abs(cause.slowdown)),
                     cause.slowdown > 0 ? "slower" : "faster");
}

/// "1 benchmark has fewer than half of its repetitions left"
std::string few_repetitions_text(std::size_t count, const std::string& where) {
  return fmt::format("{}{} {} fewer than half of {} repetitions left", counted(count, "benchmark"),
                     where, count == 1 ? "has" : "have", count == 1 ? "its" : "their");
}

/// "27 benchmarks, the worst copy/pinned/h2d/1MiB by 9.63 %"
std::string worst_text(std::size_t count, const std::string& worst, double by) {
  return fmt::format("{}, {}{} by {}", counted(count, "benchmark"), count == 1 ? "" : "the worst ",
                     worst, percent_text(by));
}

/// Of each reason, without the name of the class that it is of.
std::string text_of(const reason& cause, const limits& limits) {
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
          [](const runs_disturbed& r) {
            return fmt::format("{} of {} {} throttled or had a link that changed", r.disturbed,
                               counted(r.runs, "run"), r.disturbed == 1 ? "was" : "were");
          },
          [](const nothing_compared&) { return std::string("no benchmark could be compared"); },
          [](const runs_older& r) {
            return fmt::format("{} of {} before the newest session of the baseline", r.older,
                               counted(r.runs, "run began", "runs began"));
          },
          [](const benchmarks_missing& r) {
            return fmt::format("{} missing or failed",
                               counted(r.count, "benchmark is", "benchmarks are"));
          },
          [](const procedures_differ& r) { return other_procedure_text(r.count); },
          [](const environment_changed& r) { return "the environment changed: " + median_text(r); },
          [](const ambiguous& r) {
            return fmt::format("{} ambiguous", counted(r.count, "benchmark is", "benchmarks are"));
          },
          [&](const too_noisy& r) {
            return fmt::format("too noisy: most benchmarks cannot show even a slowdown of {}",
                               limit_text(3 * limits.threshold_for(r.kind)));
          },
          [&](const too_few_can_show& r) { return too_few_text(r, limits); },
          [](const class_crept& r) {
            return fmt::format(
                "the baseline is {} slower as a whole than the first of its line (pin --new-line "
                "accepts that)",
                percent_text(r.slowdown));
          },
          [](const repetitions_left_out& r) { return few_repetitions_text(r.count, ""); },
          [](const seen_slower& r) {
            auto text = fmt::format("{} much slower in some runs, and not cleared by others",
                                    counted(r.count, "benchmark is", "benchmarks are"));
            if (r.again > 0)
              text += fmt::format(" ({} in two looks, which chance may explain)", r.again);
            return text;
          }},
      cause);
}

/// "link 2 %, host 10 %"
std::string thresholds_of_classes(const report& answer) {
  std::vector<std::string> texts;
  for (const auto& part : answer.classes)
    texts.push_back(
        fmt::format("{} {}", to_string(part.kind), limit_of(part.kind, answer.question.limits)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string with_class(benchmark_class kind, const std::string& text) {
  return fmt::format("{}: {}", to_string(kind), text);
}

/// By how much, and in what.
std::string slower_by(const finding& benchmark) {
  if (benchmark.is_by_mean)
    return fmt::format("by {} in the mean of all operations",
                       percent_text(slowdown(benchmark.by_mean->shift)));
  const auto* const runs =
      benchmark.note ? std::get_if<remarks::slow_runs>(&*benchmark.note) : nullptr;
  if (runs != nullptr)
    return fmt::format("in {} of {} runs by up to {}", runs->slow, runs->runs,
                       percent_text(runs->slowdown));
  return "by " + percent_text(slowdown(benchmark.judgement->shift));
}

/// "2 of 40 benchmarks slower, the worst copy/pinned/h2d/1MiB by 10.0 %"
std::string slower_text(const report& answer, const class_answer& part) {
  std::size_t count = 0;
  const finding* worst = nullptr;
  for (const auto& benchmark : answer.findings) {
    if (benchmark.kind != part.kind || benchmark.result != verdict::slower) continue;
    if (count++ == 0) worst = &benchmark;  // the findings are sorted
  }
  if (worst == nullptr) return "";
  return fmt::format("{} of {} slower, {}{} {}", count, counted(part.compared, "benchmark"),
                     count == 1 ? "" : "the worst ", worst->name, slower_by(*worst));
}

/// "none slower by more than 1.3 %", with the bound that was tested.
std::string none_slower_by(const std::optional<double>& bound) {
  constexpr double least_shown = 5e-5;
  return bound && *bound >= least_shown ? "none slower by more than " + percent_text(*bound)
                                        : "none slower";
}

std::string means_text(const report& answer, const class_answer& part) {
  if (!answer.has_means) return "by the median only: not all runs of the baseline have means";
  if (part.compared_by_mean == 0) return "by the median only: some runs have no means";
  if (part.tested_by_mean == 0) return "by the median only: no mean is known well enough";
  return fmt::format("{} by the mean at {}, too, {}",
                     part.tested_by_mean == part.tested
                         ? "all"
                         : fmt::format("{} of {}", part.tested_by_mean, part.tested),
                     limit_text(part.mean_threshold), none_slower_by(part.bound_by_mean));
}

std::string not_compared_text(const class_answer& part, const char* before) {
  std::string text;
  if (part.few_repetitions > 0)
    text += fmt::format("{}{} not compared for lack of repetitions", before, part.few_repetitions);
  if (part.excused > 0) text += fmt::format("{}{} not compared, as allowed", before, part.excused);
  return text;
}

std::string none_slower_text(const report& answer, const class_answer& part) {
  const auto asked_for = part.benchmarks + part.excused;
  auto text = fmt::format(
      "{} tested at {} with a confidence of 95 % each, {} ({})",
      part.tested == asked_for
          ? (part.tested == 1 ? "1 benchmark" : fmt::format("all {} benchmarks", part.tested))
          : fmt::format("{} of {} benchmarks", part.tested, asked_for),
      limit_of(part.kind, answer.question.limits), none_slower_by(part.bound),
      means_text(answer, part));
  if (part.bound_of_not_known)
    text += fmt::format(", those not known by at most {}",
                        percent_text(std::max(0.0, *part.bound_of_not_known)));
  text += not_compared_text(part, ", ");
  if (part.in_turn > 0)
    text +=
        fmt::format(", {} only known not to be slower than the reference program", part.in_turn);
  if (part.cleared > 0)
    text += fmt::format(", {} in some runs and not when measured again",
                        counted(part.cleared, "much slower", "much slower"));
  return text;
}

/// What a class shows, without its name and verdict.
std::string class_text(const report& answer, const class_answer& part) {
  std::vector<std::string> texts;
  if (auto slower = slower_text(answer, part); !slower.empty()) texts.push_back(std::move(slower));
  if (part.code == exit_code::pass && part.benchmarks > 0)
    texts.push_back(none_slower_text(answer, part));
  for (const auto& cause : part.reasons) {
    const auto* const shift = std::get_if<reasons::environment_changed>(&cause);
    if (part.code == exit_code::regression && part.slower_as_a_whole() && shift != nullptr)
      texts.push_back(median_text(*shift));
    else if (part.code == exit_code::inconclusive || (part.slower_as_a_whole() && shift != nullptr))
      texts.push_back(text_of(cause, answer.question.limits));
  }
  if (texts.empty() && part.slower_as_a_whole())
    texts.push_back(
        fmt::format("a quarter of {} is much slower", counted(part.compared, "benchmark")));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// What the classes with this verdict show, if they decide or veto.
void add_classes(const report& answer, exit_code code, std::vector<std::string>& parts) {
  for (const auto& part : answer.classes)
    if ((part.decides || code == exit_code::regression) && part.code == code)
      if (const auto text = class_text(answer, part); !text.empty())
        parts.push_back(with_class(part.kind, text));
}

/// "host (vetoes from 10 %; 0 of 24 can be judged at 2 %; the median is 13.6 % slower, which
/// sessions may explain)"
std::string undecided_text(const class_answer& part, const limits& limits) {
  auto own = limits;
  own.vetoing.clear();  // as it would be judged if it decided
  auto text =
      fmt::format("{} (vetoes from {}; {} of {} can be judged at {}", to_string(part.kind),
                  limit_of(part.kind, limits), part.able, part.all, limit_of(part.kind, own));
  if (part.changed() && part.shared->shift > 0)
    text += fmt::format("; the median is {} slower, which sessions may explain",
                        percent_text(slowdown(part.shared->shift)));
  return text + not_compared_text(part, "; ") + ")";
}

void add_undecided(const report& answer, std::vector<std::string>& parts) {
  std::vector<std::string> names, not_measured;
  for (const auto& part : answer.classes)
    if (!part.decides && part.benchmarks == 0)
      not_measured.emplace_back(to_string(part.kind));
    else if (!part.decides && part.code != exit_code::regression)
      names.push_back(undecided_text(part, answer.question.limits));
  if (!not_measured.empty())
    parts.push_back(
        fmt::format("nothing of {} was compared, as allowed", fmt::join(not_measured, " and ")));
  if (!names.empty())
    parts.push_back(fmt::format("{} {}", fmt::join(names, " and "),
                                names.size() == 1 ? "does not decide" : "do not decide"));
}

std::vector<std::string> verdict_parts(const report& answer) {
  std::vector<std::string> parts;
  if (answer.code == exit_code::inconclusive) {
    for (const auto& part : answer.classes)
      if (const auto slower = slower_text(answer, part); !slower.empty())
        parts.push_back(with_class(part.kind, slower));
    for (const auto& cause : answer.reasons)
      parts.push_back(sentence_of(cause, answer.question.limits));
  } else {
    add_classes(answer, answer.code, parts);
    if (answer.code == exit_code::environment) add_classes(answer, exit_code::regression, parts);
  }
  add_undecided(answer, parts);
  if (const auto added = answer.count(verdict::added); added > 0 && answer.code == exit_code::pass)
    parts.push_back(fmt::format("{} not in the baseline and not judged",
                                counted(added, "benchmark is", "benchmarks are")));
  return parts;
}

}  // namespace

std::string sentence_of(const reason& cause, const limits& limits) {
  const auto text = text_of(cause, limits);
  return std::visit(
      [&](const auto& told) {
        if constexpr (requires { told.kind; })
          return with_class(told.kind, text);
        else
          return text;
      },
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
          [](const interrupted& n) { return n.file + " did not reach its end"; },
          [](const in_parts& n) {
            return fmt::format("{} was {}", n.file, common::in_parts_text(n.parts).value());
          },
          [](const warned& n) { return fmt::format("{}: {}", n.file, n.text); },
          [](const no_fingerprint&) {
            return std::string(
                "these files do not describe their machine, so whether it is the same is not "
                "checked");
          },
          [](const age_unknown& n) {
            return fmt::format(
                "whether {} of {} began before the baseline's newest session is not checked: the "
                "files do not tell when they began",
                n.undated, counted(n.runs, "run"));
          },
          [](const slow_runs& n) {
            return fmt::format("{} much slower in some runs than in any of the baseline",
                               counted(n.benchmarks, "benchmark is", "benchmarks are"));
          },
          [](const baseline_crept& n) {
            return fmt::format(
                "the baseline is slower than the first of its line in {}; a check only finds what "
                "is slower still",
                worst_text(n.benchmarks, n.worst, n.slowdown));
          },
          [](const one_session&) {
            return std::string(
                "the baseline has a single session: how much sessions differ is estimated from "
                "this check alone, or assumed");
          },
          [](const measured_again& n) {
            return fmt::format(
                "{} measured again, {} runs of each program in turn; their verdict is from these "
                "runs",
                counted(n.suspects, "suspect was", "suspects were"), n.runs);
          }},
      message);
}

std::string other_procedure_text(std::size_t count) {
  return fmt::format(
      "{} by another procedure than in the baseline, and not compared: pin it anew, or measure "
      "both with one version of the program",
      counted(count, "benchmark was measured", "benchmarks were measured"));
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
          [](const implausibly_fast& r) {
            return fmt::format("{:.0f} times as fast: implausible", r.factor);
          },
          [](const other_bytes& r) {
            return fmt::format("moves {} bytes, in the baseline {}", r.after, r.before);
          },
          [](const reference_slower& r) {
            return fmt::format(
                "not cleared: the reference program is slower than the baseline by {}",
                percent_text(r.slowdown));
          },
          [](const slow_runs& r) {
            return fmt::format("{} of {} runs much slower, by up to {}", r.slow, r.runs,
                               percent_text(r.slowdown));
          },
          [](const measured_in_turn& r) {
            return fmt::format("in turn: {}, p {}", signed_percent_text(r.slowdown), p_text(r.p));
          },
          [](const mean_slower& r) {
            return fmt::format("by the mean of all operations slower by {}",
                               percent_text(r.slowdown));
          },
          [](const not_measured_again&) {
            return std::string("could not be measured again with both programs");
          },
          [](const few_repetitions& r) {
            return fmt::format("fewer than half of its repetitions are left in {} of {} runs",
                               r.few, r.runs);
          },
          [](const other_work& r) {
            return fmt::format("does other work: {} was {}, is {}", r.key, r.before,
                               r.after.empty() ? "unknown" : r.after);
          },
          [](const other_procedure& r) {
            return fmt::format("measured by procedure {}, was by {}: not compared", r.after,
                               r.before);
          }},
      message);
}

namespace {

/// What is wrong with some runs.
const overloaded warning_of_runs{
    [](const pin_warnings::interrupted& w) {
      return fmt::format("{} did not reach its end: benchmarks that it lacks have fewer runs",
                         w.file);
    },
    [](const pin_warnings::no_such_field& w) {
      return fmt::format("{} has no repetitions with '{}' in {}: not used there", w.benchmark,
                         w.field, w.file);
    },
    [](const pin_warnings::failed& w) {
      return fmt::format("{} failed in {}: not used there", w.benchmark, w.file);
    },
    [](const pin_warnings::left_out& w) {
      return fmt::format("{} is left out: only {} of {} runs have a figure of it", w.benchmark,
                         w.measured, w.runs);
    },
    [](const pin_warnings::lacking_field& w) {
      return fmt::format("{} left out of runs in which they have no {}, for example {}",
                         counted(w.benchmarks, "benchmark is", "benchmarks are"), w.field, w.first);
    },
    [](const pin_warnings::warned& w) { return fmt::format("{}: {}", w.file, w.text); },
    [](const pin_warnings::few_repetitions& w) {
      return few_repetitions_text(w.benchmarks, " of " + w.file) + ": not used there";
    }};

/// What the baseline cannot show, and how it differs from others.
const overloaded warning_of_baseline{
    [](const pin_warnings::few_runs& w) {
      return fmt::format(
          "{} runs only: {} or more find smaller slowdowns (see gate_transfers power)", w.runs,
          w.recommended);
    },
    [](const pin_warnings::sessions_differ& w) {
      return fmt::format(
          "{}: the slowest session is {} slower as a whole than the fastest, so slowdowns of that "
          "size go unnoticed",
          to_string(w.kind), percent_text(w.slowdown));
    },
    [](const pin_warnings::slower_than_replaced& w) {
      return "slower than the baseline that it replaces in " +
             worst_text(w.benchmarks, w.worst, w.slowdown);
    },
    [](const pin_warnings::not_compared& w) {
      return fmt::format("not compared with the baseline that it replaces: {}", w.reason);
    },
    [](const pin_warnings::crept& w) {
      return fmt::format(
          "slower than the first baseline of its line in {}; small slowdowns have added up",
          worst_text(w.benchmarks, w.worst, w.slowdown));
    },
    [](const pin_warnings::few_sessions& w) {
      return fmt::format(
          "runs of {} only: a benchmark that differs from day to day may look changed; runs of {} "
          "days or more show which ones do",
          counted(w.sessions, "session"), w.recommended);
    },
    [](const pin_warnings::one_session&) {
      return std::string(
          "all runs are of one session (one hour, one start of the machine), so they do not show "
          "how much sessions differ: checks will estimate or assume it; add runs of another day");
    }};

}  // namespace

std::string sentence_of(const pin_warning& warning) {
  return std::visit(overloaded{warning_of_runs, warning_of_baseline}, warning);
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

std::string class_sentence(const report& answer, const class_answer& part) {
  auto text = with_class(part.kind, to_string(part.code));
  if (const auto shown = class_text(answer, part); !shown.empty()) text += ", " + shown;
  if (part.shared && !part.shared->changed) {
    const double shift = slowdown(part.shared->shift);
    text += fmt::format("; as a whole {} {}", percent_text(std::abs(shift)),
                        shift > 0 ? "slower" : "faster");
  }
  if (part.shared && part.shared->explained > 0)
    text += fmt::format(" (sessions of the baseline explain up to {})",
                        percent_text(slowdown(part.shared->explained)));
  return part.decides ? text
                      : fmt::format("{} (does not decide, and vetoes slowdowns of {})", text,
                                    limit_of(part.kind, answer.question.limits));
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
