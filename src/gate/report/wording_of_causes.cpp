#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>
#include <variant>

#include "src/common/message.hpp"
#include "src/gate/report/figures.hpp"
#include "src/gate/report/wording.hpp"
#include "src/gate/report/wording_parts.hpp"

namespace bench_transfers::gate {

std::string other_procedure_text(std::size_t count) {
  return fmt::format(
      "{} by another procedure than in the baseline, and not compared: pin it anew, or measure "
      "both with one version of the program",
      counted(count, "benchmark was measured", "benchmarks were measured"));
}

namespace {

// Of each reason, note and remark. A visit of the variant needs them all.

std::string words_of(const reasons::machine_differs& r) {
  constexpr std::size_t most = 3;
  const auto named = std::span(r.keys).first(std::min(most, r.keys.size()));
  return fmt::format("the machine or the settings differ from the baseline's in {}{}",
                     fmt::join(named, ", "),
                     r.keys.size() > most ? fmt::format(" and {} more", r.keys.size() - most) : "");
}
std::string words_of(const reasons::too_few_runs& r) {
  return fmt::format("only {}, and a verdict needs {}", counted(r.runs, "run"), r.needed);
}
std::string words_of(const reasons::runs_disturbed& r) {
  return fmt::format("{} of {} {} throttled or had a link that changed", r.disturbed,
                     counted(r.runs, "run"), r.disturbed == 1 ? "was" : "were");
}
std::string words_of(const reasons::nothing_compared&) { return "no benchmark could be compared"; }
std::string words_of(const reasons::runs_older& r) {
  return fmt::format("{} of {} before the newest session of the baseline", r.older,
                     counted(r.runs, "run began", "runs began"));
}
std::string words_of(const reasons::benchmarks_missing& r) {
  return fmt::format("{} missing or failed", counted(r.count, "benchmark is", "benchmarks are"));
}
std::string words_of(const reasons::procedures_differ& r) { return other_procedure_text(r.count); }
std::string words_of(const reasons::environment_changed& r) {
  return "the environment changed: " + median_text(r);
}
std::string words_of(const reasons::ambiguous& r) {
  return fmt::format("{} ambiguous", counted(r.count, "benchmark is", "benchmarks are"));
}
std::string words_of(const reasons::too_noisy& r, const limits& limits) {
  return fmt::format(
      "too noisy: most benchmarks cannot show even a slowdown of {} (gate_transfers power says how "
      "many runs could)",
      limit_text(3 * limits.threshold_for(r.kind)));
}
/// Noise, a shift of the class or a single slow run may be the reason.
std::string words_of(const reasons::too_few_can_show& r, const limits& limits) {
  const auto benchmarks = counted(r.benchmarks, "benchmark");
  return fmt::format(
      "{} known not to be slower by {}{}",
      r.can_show == 0 ? fmt::format("none of {} is", benchmarks)
                      : fmt::format("only {} of {} {}", r.can_show, benchmarks, verb(r.can_show)),
      limit_of(r.kind, limits),
      r.compared < r.benchmarks ? fmt::format(", and only {} could be compared", r.compared) : "");
}
std::string words_of(const reasons::class_crept& r) {
  return fmt::format(
      "the baseline is {} slower as a whole than the first of its line (pin --new-line accepts "
      "that)",
      percent_text(r.slowdown));
}
std::string words_of(const reasons::repetitions_left_out& r) {
  return few_repetitions_text(r.count, "");
}
std::string words_of(const reasons::seen_slower& r) {
  auto text = fmt::format("{} much slower in some runs, and not cleared by others",
                          counted(r.count, "benchmark is", "benchmarks are"));
  if (r.again > 0) text += fmt::format(" ({} in two looks, which chance may explain)", r.again);
  return text;
}

std::string words_of(const notes::faults_injected& n) {
  return fmt::format("{} has faults injected on purpose: {}", n.file, fmt::join(n.faults, ", "));
}
std::string words_of(const notes::interrupted& n) { return n.file + " did not reach its end"; }
std::string words_of(const notes::in_parts& n) {
  return fmt::format("{} was {}", n.file, common::in_parts_text(n.parts).value());
}
std::string words_of(const notes::warned& n) { return fmt::format("{}: {}", n.file, n.text); }
std::string words_of(const notes::no_fingerprint&) {
  return "these files do not describe their machine, so whether it is the same is not "
         "checked";
}
std::string words_of(const notes::age_unknown& n) {
  return fmt::format(
      "whether {} of {} began before the baseline's newest session is not checked: the files do "
      "not tell when they began",
      n.undated, counted(n.runs, "run"));
}
std::string words_of(const notes::slow_runs& n) {
  return fmt::format("{} much slower in some runs than in any of the baseline",
                     counted(n.benchmarks, "benchmark is", "benchmarks are"));
}
std::string words_of(const notes::baseline_crept& n) {
  return fmt::format(
      "the baseline is slower than the first of its line in {}; a check only finds what is "
      "slower still",
      worst_text(n.benchmarks, n.worst, n.slowdown));
}
std::string words_of(const notes::one_session&) {
  return "the baseline has a single session: how much sessions differ is estimated from this check "
         "alone, or assumed";
}
std::string words_of(const notes::measured_again& n) {
  return fmt::format(
      "{} measured again, {} runs of each program in turn; their verdict is from these runs",
      counted(n.suspects, "suspect was", "suspects were"), n.runs);
}

std::string words_of(const remarks::failed& r) {
  return fmt::format("failed in {} of {} runs", r.failed, r.runs);
}
std::string words_of(const remarks::no_such_field& r) {
  return fmt::format("has no repetitions with '{}'", r.field);
}
std::string words_of(const remarks::not_measured&) { return "not measured"; }
std::string words_of(const remarks::measured_by_some& r) {
  return fmt::format("measured by {} of {} runs", r.measured, r.runs);
}
std::string words_of(const remarks::too_few_runs& r) {
  return fmt::format("measured by {} of {} runs, {} are needed", r.measured, r.runs, r.needed);
}
std::string words_of(const remarks::implausibly_fast& r) {
  return fmt::format("{:.0f} times as fast: implausible", r.factor);
}
std::string words_of(const remarks::other_bytes& r) {
  return fmt::format("moves {} bytes, in the baseline {}", r.after, r.before);
}
std::string words_of(const remarks::reference_slower& r) {
  return fmt::format("not cleared: the reference program is slower than the baseline by {}",
                     percent_text(r.slowdown));
}
std::string words_of(const remarks::slow_runs& r) {
  return fmt::format("{} of {} runs much slower, by up to {}", r.slow, r.runs,
                     percent_text(r.slowdown));
}
std::string words_of(const remarks::measured_in_turn& r) {
  return fmt::format("in turn: {}, p {}", signed_percent_text(r.slowdown), p_text(r.p));
}
std::string words_of(const remarks::mean_slower& r) {
  return fmt::format("by the mean of all operations slower by {}", percent_text(r.slowdown));
}
std::string words_of(const remarks::mean_slow_runs& r) {
  return fmt::format("{} of {} runs much slower in the mean of all operations, by up to {}", r.slow,
                     r.runs, percent_text(r.slowdown));
}
std::string words_of(const remarks::most_runs_slower& r) {
  return fmt::format("{} of {} runs slower than 90 % of the baseline's runs", r.slow, r.runs);
}
std::string words_of(const remarks::mean_of_most_runs_slower& r) {
  return fmt::format(
      "{} of {} runs slower than 90 % of the baseline's runs in the mean of all operations", r.slow,
      r.runs);
}
std::string words_of(const remarks::fastest_slower& r) {
  return fmt::format("by the fastest operation slower by {}", percent_text(r.slowdown));
}
std::string words_of(const remarks::fastest_not_slower& r) {
  return fmt::format("its fastest operation is slower by at most {}: other users may be the cause",
                     percent_text(r.at_most_95));
}
std::string words_of(const remarks::not_measured_again&) {
  return "could not be measured again with both programs";
}
std::string words_of(const remarks::few_repetitions& r) {
  return fmt::format("fewer than half of its repetitions are left in {} of {} runs", r.few, r.runs);
}
std::string words_of(const remarks::other_work& r) {
  return fmt::format("does other work: {} was {}, is {}", r.key, r.before,
                     r.after.empty() ? "unknown" : r.after);
}
std::string words_of(const remarks::other_procedure& r) {
  return fmt::format("measured by procedure {}, was by {}: not compared", r.after, r.before);
}

}  // namespace

std::string text_of(const reason& cause, const limits& limits) {
  return std::visit(
      [&](const auto& one) {
        if constexpr (requires { words_of(one, limits); })
          return words_of(one, limits);
        else
          return words_of(one);
      },
      cause);
}

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
  return std::visit([](const auto& one) { return words_of(one); }, message);
}

std::string sentence_of(const remark& message) {
  return std::visit([](const auto& one) { return words_of(one); }, message);
}

}  // namespace bench_transfers::gate
