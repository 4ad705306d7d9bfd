#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <variant>

#include "src/common/message.hpp"
#include "src/gate/report/figures.hpp"
#include "src/gate/report/wording.hpp"
#include "src/gate/report/wording_parts.hpp"

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

}  // namespace

std::string median_text(const reasons::environment_changed& cause) {
  return fmt::format("the median of {}{} is {} {}",
                     cause.benchmarks < cause.of ? fmt::format("{} of ", cause.benchmarks) : "",
                     counted(cause.of, "benchmark"), percent_text(std::abs(cause.slowdown)),
                     cause.slowdown > 0 ? "slower" : "faster");
}

std::string text_of(const reason& cause, const limits& limits) {
  using namespace reasons;
  return std::visit(
      overloaded{
          [](const machine_differs& r) {
            constexpr std::size_t most = 3;
            const auto named = std::span(r.keys).first(std::min(most, r.keys.size()));
            return fmt::format(
                "the machine or the settings differ from the baseline's in {}{}",
                fmt::join(named, ", "),
                r.keys.size() > most ? fmt::format(" and {} more", r.keys.size() - most) : "");
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
            return fmt::format(
                "too noisy: most benchmarks cannot show even a slowdown of {} (gate_transfers "
                "power "
                "says how many runs could)",
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
          [](const mean_slow_runs& r) {
            return fmt::format(
                "{} of {} runs much slower in the mean of all operations, by up to {}", r.slow,
                r.runs, percent_text(r.slowdown));
          },
          [](const most_runs_slower& r) {
            return fmt::format("{} of {} runs slower than 90 % of the baseline's runs", r.slow,
                               r.runs);
          },
          [](const mean_of_most_runs_slower& r) {
            return fmt::format(
                "{} of {} runs slower than 90 % of the baseline's runs in the mean of all "
                "operations",
                r.slow, r.runs);
          },
          [](const fastest_slower& r) {
            return fmt::format("by the fastest operation slower by {}", percent_text(r.slowdown));
          },
          [](const fastest_not_slower& r) {
            return fmt::format(
                "its fastest operation is slower by at most {}: other users may be the cause",
                percent_text(r.at_most_95));
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
      if (w.benchmarks == 1)
        return fmt::format("{} is left out: only {} of {} runs have a figure of it", w.first,
                           w.measured, w.runs);
      return fmt::format(
          "{} of {} benchmarks are left out, because fewer than three runs have a figure of them: "
          "for example, {} of {} runs have one of {}",
          w.benchmarks, w.all, w.measured, w.runs, w.first);
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

}  // namespace bench_transfers::gate
