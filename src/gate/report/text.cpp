#include "src/exports/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <vector>

#include "src/common/text.hpp"
#include "src/gate/report/figures.hpp"
#include "src/gate/report/reports.hpp"
#include "src/gate/report/wording.hpp"

namespace bench_transfers::gate {
namespace {

using common::terminal_columns;

constexpr const char* legend =
    "\nbefore, after: the middle of the processes; p: how likely chance alone makes any look so "
    "slow\n"
    "detectable: the least slowdown that would be found 4 times of 5; *: noise hides the "
    "threshold\n";
constexpr const char* legend_of_shift =
    "in a class that shifted as a whole: p of what a benchmark adds to that, or less; none counts "
    "as\n"
    "slower until the class is back\n";
constexpr std::size_t most_listed = 20;  // benchmarks without figures
constexpr std::size_t least_name_letters = 24;

/// For ASCII; other bytes stay.
char capital(char letter) {
  return static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
}

std::string sentence(const std::string& text) { return common::wrapped(text + "."); }

std::string changes_text(const report& answer) {
  std::string text;
  if (!answer.changed.empty()) {
    text += "\n" + changed_title(answer) + "\n";
    for (const auto& change : answer.changed)
      text += common::wrapped(fmt::format("- {}: {}", change.fact.key, changed_text(change)),
                              terminal_columns, 4);
  }
  if (!answer.classes.empty()) text += '\n';
  for (const auto& part : answer.classes) text += sentence(class_sentence(answer, part));
  return text;
}

/// Of benchmarks that have figures. Below each other, the tables are alike.
std::string figures_of(const report& answer, const std::vector<const finding*>& findings,
                       const std::string& title) {
  auto table = table_of(answer, findings);
  table.title = title;
  table.columns.front().least = least_name_letters;
  constexpr auto most = terminal_columns - 61;  // for the others
  for (const auto& benchmark : answer.findings)
    if (const auto letters = common::letters_in(benchmark.name);
        benchmark.judgement && letters <= most)
      table.columns.front().least = std::max(table.columns.front().least, letters);
  return "\n" + exports::text_of(table);
}

std::string list_of(const std::vector<const finding*>& findings, const std::string& title,
                    bool all) {
  if (findings.empty()) return "";
  std::string text = "\n" + title + "\n";
  const auto shown = all || findings.size() <= most_listed + 1 ? findings.size() : most_listed;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& benchmark = *findings[i];
    auto why = why_text(benchmark);
    if (!why.empty()) why = "  " + why;
    const bool fits =
        common::letters_in(benchmark.name) + common::letters_in(why) <= terminal_columns;
    text += fmt::format("{}{}{}\n", benchmark.name, fits ? "" : "\n", why);
  }
  if (shown < findings.size())
    text += fmt::format("and {} more (--all lists them)\n", findings.size() - shown);
  return text;
}

/// Benchmarks that are slower by more than the threshold, but not significantly: a person may still
/// see a regression in them.
std::vector<const finding*> hidden_by_noise(const report& answer,
                                            const std::vector<const finding*>& not_known) {
  std::vector<const finding*> hidden;
  if (std::ranges::any_of(answer.classes, &class_answer::changed)) return hidden;
  for (const auto* const benchmark : not_known)
    if (benchmark->judgement && hidden.size() < most_listed &&
        (benchmark->note || slowdown(benchmark->judgement->shift) > benchmark->threshold))
      hidden.push_back(benchmark);
  return hidden;
}

template <class Condition>
std::vector<const finding*> only(std::vector<const finding*> findings, Condition&& holds) {
  std::erase_if(findings, [&](const finding* benchmark) { return !holds(*benchmark); });
  return findings;
}

std::string tables(const report& answer, bool all) {
  std::string text;
  bool has_table = false;
  const auto add_table = [&](const std::vector<const finding*>& shown, const std::string& title) {
    if (shown.empty()) return;
    text += figures_of(answer, shown, title);
    has_table = true;
  };
  for (const auto result : worst_first) {
    const auto findings = findings_of(answer, result);
    auto title = verdict_text(answer, result);
    std::ranges::transform(title, title.begin(), capital);
    if (result == verdict::unchanged && !all) {
      add_table(only(findings, [](const finding& shown) { return shown.note.has_value(); }),
                title + ", WITH A REMARK");
    } else if (result == verdict::not_known && !all) {
      add_table(hidden_by_noise(answer, findings), title + ", SLOWER WITHIN THE NOISE");
      text += list_of(only(findings, [](const finding& shown) { return !shown.judgement; }),
                      title + ", NOT COMPARED", false);
    } else if (result != verdict::missing && result != verdict::added) {
      add_table(findings, title);
    } else if (all || result == verdict::added || !answer.has_too_few_runs()) {
      // With too few runs, all benchmarks are missing for the same reason.
      text += list_of(findings, title, all);
    }
  }
  if (!has_table) return text;
  const bool is_shifted = std::ranges::any_of(answer.classes, &class_answer::changed);
  return text + legend + (is_shifted ? legend_of_shift : "");
}

std::string origin_text(const baseline& baseline) {
  return fmt::format("{} of {} ({})", counted(baseline.processes.size(), "run"),
                     counted(number_of_sessions(baseline.processes), "session"),
                     device_label(baseline.device, baseline.on_host));
}

std::string power_table(std::span<const power_line> lines, const metric& judged_by) {
  using exports::cells;
  exports::table table{"",
                       {{"", cells::codes, least_name_letters},
                        {"before", cells::numbers, 11},
                        {"process σ", cells::numbers, 9},
                        {"session σ", cells::numbers, 9},
                        {"80 %", cells::numbers, 9},
                        {"95 %", cells::numbers, 7},
                        {"runs", cells::numbers, 4}}};
  for (const auto& line : lines)
    table.rows.push_back(
        {{line.name, value_text(line.before, judged_by), percent_text(line.process_deviation),
          percent_text(line.session_deviation),
          detectable_text(line.detectable) + (line.advisory ? " *" : "  "),
          detectable_text(line.detectable_surely),
          line.runs_needed ? fmt::format("{}", *line.runs_needed) : "-"}});
  return "\n" + exports::text_of(table);
}

/// How many benchmarks of each class can show their threshold, and how the classes that do not
/// decide veto.
std::string classes_text(std::span<const capability> classes, std::size_t new_runs,
                         const limits& limits) {
  using exports::cells;
  const auto text = fmt::format("With {}, these benchmarks can show their threshold:\n",
                                counted(new_runs, "new run"));
  exports::table table{.columns = {{"", cells::words, 10},
                                   {"", cells::numbers, 4},
                                   {""},
                                   {"", cells::numbers, 4},
                                   {""}},
                       .between = 1};
  auto own = limits;
  own.vetoing.clear();
  for (const auto& [kind, benchmarks, able] : classes)
    table.rows.push_back({{fmt::format("  {}", to_string(kind)), fmt::format("{}", able), "of",
                           fmt::format("{}", benchmarks),
                           fmt::format("at {}{}", limit_text(own.threshold_for(kind)),
                                       limits.vetoing.contains(kind)
                                           ? fmt::format("; does not decide, and vetoes from {}",
                                                         limit_text(limits.threshold_for(kind)))
                                           : "")}});
  return text + exports::text_of(table);
}

}  // namespace

std::string text_of(const report& answer, bool all) {
  auto text = sentence(origin_sentence(answer)) + changes_text(answer) + tables(answer, all) + "\n";
  text += sentence(counts_sentence(answer));
  if (const auto advisory = advisory_sentence(answer); !advisory.empty())
    text += sentence(advisory);
  for (const auto& entry : answer.notes) text += sentence("Note: " + sentence_of(entry));
  return text + common::wrapped(verdict_sentence(answer));
}

std::string text_of(const baseline& baseline, std::span<const pin_warning> warnings,
                    const stakes& stakes, const std::filesystem::path& file) {
  auto text = sentence(fmt::format("{}: a baseline of {} from {}, judged by {}",
                                   common::printable(file.string()),
                                   counted(baseline.benchmarks.size(), "benchmark"),
                                   origin_text(baseline), metric_text(baseline.judged_by)));
  for (const auto& warning : warnings) text += sentence("Warning: " + sentence_of(warning));
  return text + classes_text(stakes.classes, least_new_processes, stakes.limits);
}

std::string text_of(const baseline& baseline, std::span<const power_line> lines,
                    std::span<const capability> classes, std::size_t new_runs,
                    const limits& limits) {
  auto text = sentence(fmt::format("A baseline from {}, judged by {}", origin_text(baseline),
                                   metric_text(baseline.judged_by)));
  text += classes_text(classes, new_runs, limits);
  const auto never = std::ranges::count_if(
      lines, [](const power_line& line) { return !line.runs_needed.has_value(); });
  if (never > 0)
    text +=
        sentence(fmt::format("For {}, no number of new runs up to 50 is enough (-): sessions or "
                             "processes differ too much",
                             counted(static_cast<std::size_t>(never), "benchmark")));
  return text + "\n" +
         common::wrapped(fmt::format(
             "The slowdowns that {} in one session show with a probability of 80 and 95 %, at one "
             "of {} for any false alarm; and the runs from which on noise does not hide a "
             "slowdown of the threshold ({}).",
             counted(new_runs, "new run"), limit_text(limits.false_alarm),
             thresholds_text(limits))) +
         power_table(lines, baseline.judged_by);
}

}  // namespace bench_transfers::gate
