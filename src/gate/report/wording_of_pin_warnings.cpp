#include <fmt/format.h>

#include <string>
#include <variant>

#include "src/gate/report/figures.hpp"
#include "src/gate/report/wording.hpp"
#include "src/gate/report/wording_parts.hpp"

namespace bench_transfers::gate {
namespace {

// What is wrong with some runs.

std::string words_of(const pin_warnings::interrupted& w) {
  return fmt::format("{} did not reach its end: benchmarks that it lacks have fewer runs", w.file);
}
std::string words_of(const pin_warnings::no_such_field& w) {
  return fmt::format("{} has no repetitions with '{}' in {}: not used there", w.benchmark, w.field,
                     w.file);
}
std::string words_of(const pin_warnings::failed& w) {
  return fmt::format("{} failed in {}: not used there", w.benchmark, w.file);
}
std::string words_of(const pin_warnings::left_out& w) {
  if (w.benchmarks == 1)
    return fmt::format("{} is left out: only {} of {} runs have a figure of it", w.first,
                       w.measured, w.runs);
  return fmt::format(
      "{} of {} benchmarks are left out, because fewer than three runs have a figure of them: for "
      "example, {} of {} runs have one of {}",
      w.benchmarks, w.all, w.measured, w.runs, w.first);
}
std::string words_of(const pin_warnings::lacking_field& w) {
  return fmt::format("{} left out of runs in which they have no {}, for example {}",
                     counted(w.benchmarks, "benchmark is", "benchmarks are"), w.field, w.first);
}
std::string words_of(const pin_warnings::warned& w) {
  return fmt::format("{}: {}", w.file, w.text);
}
std::string words_of(const pin_warnings::few_repetitions& w) {
  return few_repetitions_text(w.benchmarks, " of " + w.file) + ": not used there";
}

// What the baseline cannot show, and how it differs from others.

std::string words_of(const pin_warnings::few_runs& w) {
  return fmt::format("{} runs only: {} or more find smaller slowdowns (see gate_transfers power)",
                     w.runs, w.recommended);
}
std::string words_of(const pin_warnings::sessions_differ& w) {
  return fmt::format(
      "{}: the slowest session is {} slower as a whole than the fastest, so slowdowns of that size "
      "go unnoticed",
      to_string(w.kind), percent_text(w.slowdown));
}
std::string words_of(const pin_warnings::slower_than_replaced& w) {
  return "slower than the baseline that it replaces in " +
         worst_text(w.benchmarks, w.worst, w.slowdown);
}
std::string words_of(const pin_warnings::not_compared& w) {
  return fmt::format("not compared with the baseline that it replaces: {}", w.reason);
}
std::string words_of(const pin_warnings::crept& w) {
  return fmt::format(
      "slower than the first baseline of its line in {}; small slowdowns have added up",
      worst_text(w.benchmarks, w.worst, w.slowdown));
}
std::string words_of(const pin_warnings::few_sessions& w) {
  return fmt::format(
      "runs of {} only: a benchmark that differs from day to day may look changed; runs of {} days "
      "or more show which ones do",
      counted(w.sessions, "session"), w.recommended);
}
std::string words_of(const pin_warnings::one_session&) {
  return "all runs are of one session (one hour, one start of the machine), so they do not show "
         "how much sessions differ: checks will estimate or assume it; add runs of another day";
}

}  // namespace

std::string sentence_of(const pin_warning& warning) {
  return std::visit([](const auto& one) { return words_of(one); }, warning);
}

}  // namespace bench_transfers::gate
