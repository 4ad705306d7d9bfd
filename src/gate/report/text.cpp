#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "src/common/printable.hpp"
#include "src/common/wrapped.hpp"
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

/// A column of a table, to the right of the benchmarks' names.
struct column {
  std::string head;
  std::size_t width;
};

/// A name and its figures, on the next line if the name is too long.
std::string row(const std::string& name, std::size_t name_width, const std::string& figures) {
  const auto columns = columns_of(name);
  auto text = name +
              (columns <= name_width ? std::string(name_width - columns, ' ')
                                     : "\n" + std::string(name_width, ' ')) +
              figures;
  text.erase(text.find_last_not_of(' ') + 1);
  return text + '\n';
}

std::size_t width_of(std::span<const column> columns) {
  std::size_t width = 0;
  for (const auto& column : columns) width += column.width;
  return width;
}

std::string heads_of(std::span<const column> columns) {
  std::string heads;
  for (const auto& column : columns)
    heads += std::string(column.width - columns_of(column.head), ' ') + column.head;
  return heads;
}

/// The width of the longest name that leaves room for figures of this width.
std::size_t width_for(const std::vector<std::string>& names, std::size_t figures) {
  const auto most = terminal_columns - figures;
  std::size_t width = 0;
  for (const auto& name : names)
    if (const auto columns = columns_of(name); columns <= most) width = std::max(width, columns);
  return std::max<std::size_t>(width, 24);
}

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

/// Formats tables of benchmarks that have figures.
class figures_table {
 public:
  explicit figures_table(const report& answer) : judged_by_(answer.judged_by) {
    std::vector<std::string> names;
    for (const auto& benchmark : answer.findings)
      if (benchmark.judgement) names.push_back(benchmark.name);
    name_width_ = width_for(names, width_of(columns_));
  }

  [[nodiscard]] std::string format(const std::vector<const finding*>& findings,
                                   const std::string& title) {
    std::string text = "\n" + row(title, name_width_, heads_of(columns_));
    for (const auto* const benchmark : findings) {
      const auto texts = cells_of(*benchmark, judged_by_);
      const std::array cells{texts.before, texts.after, texts.slower_by, texts.p,
                             texts.detectable + (benchmark->advisory ? "" : "  ")};
      std::string figures;
      for (std::size_t i = 0; i < cells.size(); ++i)
        figures += fmt::format("{:>{}}", cells[i], columns_[i].width);
      text += row(benchmark->name, name_width_, figures);
      if (benchmark->note)
        text += "  " + common::wrapped(sentence_of(*benchmark->note), terminal_columns - 2, 4);
    }
    return text;
  }

 private:
  static inline const std::array<column, 5> columns_{
      {{"before", 13}, {"after", 13}, {"slower by", 12}, {"p", 9}, {"detectable", 14}}};
  const metric& judged_by_;
  std::size_t name_width_ = 0;
};

std::string list_of(const std::vector<const finding*>& findings, const std::string& title,
                    bool all) {
  std::string text = "\n" + title + "\n";
  const auto shown = all || findings.size() <= most_listed + 1 ? findings.size() : most_listed;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& benchmark = *findings[i];
    auto why = benchmark.note ? sentence_of(*benchmark.note) : "";
    if (benchmark.excused) why += why.empty() ? "allowed" : ", allowed";
    if (!why.empty()) why = "  " + why;
    const bool fits = columns_of(benchmark.name) + columns_of(why) <= terminal_columns;
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

/// Those that were not compared.
std::vector<const finding*> without_figures(const std::vector<const finding*>& not_known) {
  std::vector<const finding*> not_compared;
  std::ranges::copy_if(not_known, std::back_inserter(not_compared),
                       [](const finding* benchmark) { return !benchmark->judgement; });
  return not_compared;
}

/// Suspects that measuring them again has cleared.
std::vector<const finding*> with_notes(const std::vector<const finding*>& unchanged) {
  std::vector<const finding*> cleared;
  std::ranges::copy_if(unchanged, std::back_inserter(cleared),
                       [](const finding* benchmark) { return benchmark->note.has_value(); });
  return cleared;
}

std::string tables(const report& answer, bool all) {
  std::string text;
  bool has_table = false;
  figures_table table(answer);
  for (const auto result : worst_first) {
    const auto findings = findings_of(answer, result);
    if (result == verdict::unchanged && !all) {
      if (const auto cleared = with_notes(findings); !cleared.empty()) {
        text += table.format(cleared, "UNCHANGED, MEASURED AGAIN");
        has_table = true;
      }
      continue;
    }
    if (result == verdict::not_known && !all) {
      if (const auto hidden = hidden_by_noise(answer, findings); !hidden.empty()) {
        text += table.format(hidden, "NOT KNOWN, SLOWER WITHIN THE NOISE");
        has_table = true;
      }
      if (const auto others = without_figures(findings); !others.empty())
        text += list_of(others, "NOT KNOWN, NOT COMPARED", false);
      continue;
    }
    // With too few runs, all benchmarks are missing for the same reason.
    const bool too_few = answer.has_too_few_runs();
    if (findings.empty() || (result == verdict::missing && too_few && !all)) continue;
    auto title = verdict_text(answer, result);
    std::ranges::transform(title, title.begin(), capital);
    const bool has_figures = result != verdict::missing && result != verdict::added;
    text += has_figures ? table.format(findings, title) : list_of(findings, title, all);
    has_table = has_table || has_figures;
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
  const std::array<column, 6> columns{{{"before", 13},
                                       {"process σ", 11},
                                       {"session σ", 11},
                                       {"80 %", 11},
                                       {"95 %", 9},
                                       {"runs", 6}}};
  std::vector<std::string> names;
  for (const auto& line : lines) names.push_back(line.name);
  const auto name_width = width_for(names, width_of(columns));
  auto text = "\n" + row("", name_width, heads_of(columns));
  for (const auto& line : lines)
    text +=
        row(line.name, name_width,
            fmt::format("{:>13}{:>11}{:>11}{:>11}{:>9}{:>6}", value_text(line.before, judged_by),
                        percent_text(line.process_deviation), percent_text(line.session_deviation),
                        detectable_text(line.detectable) + (line.advisory ? " *" : "  "),
                        detectable_text(line.detectable_surely),
                        line.runs_needed ? fmt::format("{}", *line.runs_needed) : "-"));
  return text;
}

/// How many benchmarks of each class are not advisory, and how those that do not decide veto.
std::string classes_text(std::span<const power_line> lines, std::size_t new_runs,
                         const limits& limits) {
  auto text = fmt::format("With {}, these benchmarks can show their threshold:\n",
                          counted(new_runs, "new run"));
  for (const auto kind : all_classes) {
    const auto of_class = [&](const power_line& line) { return line.kind == kind; };
    const auto can_show = [&](const power_line& line) { return of_class(line) && !line.advisory; };
    const auto count = std::ranges::count_if(lines, of_class);
    const auto able = std::ranges::count_if(lines, can_show);
    if (count == 0) continue;
    auto own = limits;
    own.vetoing.clear();
    text += fmt::format("  {:<8} {:>4} of {:>4} at {}{}\n", to_string(kind), able, count,
                        limit_text(own.threshold_for(kind)),
                        limits.vetoing.contains(kind)
                            ? fmt::format("; does not decide, and vetoes from {}",
                                          limit_text(limits.threshold_for(kind)))
                            : "");
  }
  return text;
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
                    const std::filesystem::path& file) {
  auto text = sentence(fmt::format("{}: a baseline of {} from {}, judged by {}",
                                   common::printable(file.string()),
                                   counted(baseline.benchmarks.size(), "benchmark"),
                                   origin_text(baseline), metric_text(baseline.judged_by)));
  for (const auto& warning : warnings) text += sentence("Warning: " + sentence_of(warning));
  return text;
}

std::string text_of(const baseline& baseline, std::span<const power_line> lines,
                    std::size_t new_runs, const limits& limits) {
  auto text = sentence(fmt::format("A baseline from {}, judged by {}", origin_text(baseline),
                                   metric_text(baseline.judged_by)));
  text += common::wrapped(fmt::format(
      "The slowdowns that {} in one session show with a probability of 80 and 95 %, at one of {} "
      "for any false alarm; and the runs from which on noise does not hide a slowdown of the "
      "threshold ({}).",
      counted(new_runs, "new run"), limit_text(limits.false_alarm), thresholds_text(limits)));
  text += power_table(lines, baseline.judged_by);
  text += "\n" + classes_text(lines, new_runs, limits);
  const auto never = std::ranges::count_if(
      lines, [](const power_line& line) { return !line.runs_needed.has_value(); });
  if (never > 0)
    text +=
        sentence(fmt::format("For {} of them, no number of new runs up to 50 is enough (-): "
                             "sessions or processes differ too much",
                             never));
  return text;
}

}  // namespace bench_transfers::gate
