#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "src/common/text.hpp"
#include "src/gate/report/figures.hpp"
#include "src/gate/report/wording.hpp"
#include "src/gate/report/wording_parts.hpp"

namespace bench_transfers::gate {
namespace {

/// By how much, and in what.
std::string slower_by(const finding& benchmark) {
  if (!benchmark.deciding())  // its runs lack repetitions: only --confirm has shown it
    return fmt::format(
        "by {} in turn",
        percent_text(std::get<remarks::measured_in_turn>(benchmark.note.value()).slowdown));
  const auto& judged = *benchmark.deciding();
  const bool is_in_some_runs =
      benchmark.note && (std::holds_alternative<remarks::slow_runs>(*benchmark.note) ||
                         std::holds_alternative<remarks::mean_slow_runs>(*benchmark.note));
  auto text = is_in_some_runs
                  ? fmt::format("in {} of {} runs by up to {}", judged.slow_processes,
                                benchmark.shifts.size(), percent_text(slowdown(judged.slowest)))
                  : "by " + percent_text(slowdown(judged.shift));
  if (benchmark.decided_by == figure::mean) text += " in the mean of all operations";
  if (benchmark.decided_by == figure::fastest) text += " in the fastest operation";
  return text;
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

/// What to say of one of its reasons beside the verdict of a class. Why an undecided class is
/// undecided; of others only that it is slower as a whole, of which a slower class shows the
/// median.
std::string cause_text(const reason& cause, const class_answer& part, const limits& limits) {
  if (part.code == exit_code::inconclusive) return text_of(cause, limits);
  const auto* const shift = std::get_if<reasons::environment_changed>(&cause);
  if (shift == nullptr || !part.slower_as_a_whole()) return "";
  return part.code == exit_code::regression ? median_text(*shift) : text_of(cause, limits);
}

/// What a class shows, without its name and verdict.
std::string class_text(const report& answer, const class_answer& part) {
  std::vector<std::string> texts;
  if (auto slower = slower_text(answer, part); !slower.empty()) texts.push_back(std::move(slower));
  if (part.code == exit_code::pass && part.benchmarks > 0)
    texts.push_back(none_slower_text(answer, part));
  for (const auto& cause : part.reasons)
    if (auto text = cause_text(cause, part, answer.question.limits); !text.empty())
      texts.push_back(std::move(text));
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

std::string verdict_sentence(const report& answer) {
  const auto* const where = answer.on_host ? " on the host device (no GPU)" : "";
  return fmt::format("{}{}: {}", to_string(answer.code), where,
                     fmt::join(verdict_parts(answer), "; "));
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

}  // namespace bench_transfers::gate
