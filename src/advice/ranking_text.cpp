#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "src/advice/text.hpp"
#include "src/advice/text_parts.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::advice {
namespace {

using common::count_text;
using common::counted;
using common::time_text;
using exports::cells;
using statistics::estimate;

std::string pays_cell(const std::optional<break_even>& pays) {
  if (!pays) return "-";
  switch (pays->when) {
    case break_even::kind::from: return count_text(pays->count);
    case break_even::kind::up_to: return "<= " + count_text(pays->count);
    case break_even::kind::never: return "never";
  }
  return "";
}

/// The end of the recommendation: how often the memory must be used again.
std::string pays_clause(const ranking& ranked, const ranked_strategy& best) {
  if (!best.pays) return "";
  const auto faster = fmt::format("faster than {}", ranked.baseline.value());
  const auto count = count_text(best.pays->count);
  switch (best.pays->when) {
    case break_even::kind::from:
      if (best.pays->count == 1) return "; always " + faster;
      return fmt::format("; {} from {} transfers on", faster, count);
    case break_even::kind::up_to: return fmt::format("; {} up to {} transfers", faster, count);
    case break_even::kind::never: return "";
  }
  return "";
}

/// `options`: of the run that would tell, besides its sizes.
std::string no_recommendation(const ranking& ranked, const question& question, double uncertainty,
                              const std::string& options) {
  const auto sizes = sizes_to_measure(question);
  return fmt::format(
      "Cannot tell: {} cannot be told from the fastest (*), and the times may be wrong by {}. "
      "Measure this size: {}.",
      counted(statistically_tied(ranked).size() - 1, "strategy", "strategies"),
      error_cell(uncertainty), run_of({sizes.begin(), sizes.end()}, question.lines, options));
}

/// Whether its time may be wrong by half of it or more.
bool is_little_known(const ranked_strategy& strategy) { return uncertainty_of(strategy) >= 0.5; }

/// A strategy may be alike only because little is known of it.
std::string not_told_from_it(const ranked_strategy& best) {
  return is_little_known(best) ? fmt::format("cannot be told from it: its time may be wrong by {}",
                                             error_cell(uncertainty_of(best)))
                               : "cannot be told from it";
}

/// How many there are besides the fastest, and of how many, but for the one that is named, little
/// is known.
std::string tied_text(const std::vector<const ranked_strategy*>& tied,
                      const ranked_strategy& best) {
  const auto others = tied.size() - 1;
  const auto unknown = std::ranges::count_if(tied | std::views::drop(1), [&](const auto* other) {
    return other != &best && is_little_known(*other);
  });
  const auto times = others == 1    ? "its time"
                     : unknown == 1 ? "the time of 1"
                                    : fmt::format("the times of {}", unknown);
  return fmt::format(" {} statistically indistinguishable from the fastest (*){}.",
                     others == 1 ? "1 strategy is" : fmt::format("{} strategies are", others),
                     unknown == 0 ? "" : fmt::format("; {} may be wrong by 50 % or more", times));
}

std::vector<std::pair<exports::column, estimate ranked_strategy::*>> terms_of(
    const cost_model& model, const question& question) {
  std::vector<std::pair<exports::column, estimate ranked_strategy::*>> terms;
  const auto add = [&](const char* over, const char* title, estimate ranked_strategy::*value) {
    terms.push_back({{title, cells::numbers, 7, over}, value});
  };
  if (model.measured().allocation) add("allocate", "÷ reuse", &ranked_strategy::allocation);
  if (model.measured().cpu_writes && question.cpu_writes > 0)
    add("", "fill", &ranked_strategy::fill);
  add("", "transfer", &ranked_strategy::transfer);
  if (model.measured().cpu_reads && question.cpu_reads > 0)
    add("read", "back", &ranked_strategy::read_back);
  add("", "total", &ranked_strategy::total);
  return terms;
}

bool pays_only_up_to(const ranked_strategy& strategy) {
  return strategy.pays && strategy.pays->when == break_even::kind::up_to;
}

}  // namespace

std::string memory_use(const question& question) {
  return fmt::format("memory used {}; {}",
                     question.reuse == 1 ? "once" : count_text(question.reuse) + " times",
                     accesses(question));
}

std::string recommendation(const ranking& ranked, const question& question,
                           const std::string& options) {
  if (const auto uncertainty = reason_not_to_recommend(ranked))
    return no_recommendation(ranked, question, *uncertainty, options);
  const auto& best = recommended(ranked);
  const auto choice =
      ranked.strategies.size() == 1 ? "Only " + best.name + " can be ranked" : "Use " + best.name;
  auto text =
      fmt::format("{}: {} per transfer (95 %: {} to {}){}{}.", choice, time_text(best.total.value),
                  time_text(best.total.low), time_text(best.total.high),
                  best.extrapolated ? ", extrapolated" : "", pays_clause(ranked, best));
  const auto& fastest = ranked.strategies.front();
  if (best.name != fastest.name)
    text += fmt::format(" It is plainer than {}, and {}.", fastest.name,
                        sign_of(best.behind) <= 0                         ? not_told_from_it(best)
                        : best.total.value <= alike * fastest.total.value ? "not 3 % slower"
                        : best.name == ranked.baseline && fastest.gain_confirmed == false
                            ? "repetitions do not confirm that it is slower"
                            : "too few repetitions tell them apart");
  if (const auto tied = statistically_tied(ranked); tied.size() > 1) text += tied_text(tied, best);
  return text;
}

void add_calls(exports::answer& out, const program_calls* calls) {
  if (calls == nullptr) return;
  out.say("Calls: " + in_one_line(calls->lines));
  add_note_on_launches(out, *calls);
}

exports::table table_of(const cost_model& model, const question& question, const ranking& ranked,
                        bool with_pays) {
  const auto terms = terms_of(model, question);
  const auto tied = statistically_tied(ranked);
  exports::table table{"", {{"strategy", cells::codes}}};
  for (const auto& [column, value] : terms) table.columns.push_back(column);
  table.columns.push_back({"", cells::numbers, 9});
  if (with_pays) table.columns.push_back({"from", cells::numbers, 6, "pays"});
  for (const auto& strategy : ranked.strategies) {
    auto& line = table.rows.emplace_back(exports::row{{strategy.name}}).cells;
    for (const auto& [column, value] : terms) line.push_back(time_text((strategy.*value).value));
    const bool marked = std::ranges::find(tied, &strategy) != tied.end();
    line.push_back(fmt::format("{} {}{}", interval_text(strategy.total), marked ? '*' : ' ',
                               strategy.extrapolated ? 'e' : ' '));
    if (with_pays) line.push_back(pays_cell(strategy.pays));
  }
  return table;
}

bool has_pays(const ranking& ranked) {
  return std::ranges::any_of(ranked.strategies,
                             [](const auto& strategy) { return strategy.pays.has_value(); });
}

void add_legend(exports::answer& out, int processes, const cost_model& model,
                const ranking& ranked) {
  out.say(fmt::format(
      "* fastest, or not told from it{}: the 95 % interval of the difference includes 0.",
      processes == 1 ? " in this process" : ""));
  if (std::ranges::any_of(ranked.strategies, &ranked_strategy::extrapolated))
    out.say(extrapolated_legend);
  if (model.measured().allocation) out.say("allocate: freeing included.");
  if (has_pays(ranked))
    out.say(
        fmt::format("pays from: transfers with the same memory from which on it takes no "
                    "longer than {}{}.",
                    ranked.baseline.value(),
                    std::ranges::any_of(ranked.strategies, pays_only_up_to)
                        ? "; <= N: it takes no longer up to N transfers, longer with more"
                        : ""));
}

std::string label_of(bool has_gpu) { return has_gpu ? "" : "(host, no GPU) "; }

void add_ranking(exports::answer& out, const measurements& measured, const cost_model& model,
                 const ranked_question& answer, const calls_by_strategy& calls) {
  const auto& [question, ranked] = answer;
  add_origin(out, measured);
  add_allocation(out, model);
  out.say(fmt::format("{} {}, {}", size_text(question.bytes),
                      result_file::to_string(question.direction), memory_use(question)));
  out.say(recommendation(ranked, question));
  add_calls(out, calls_of(ranked, question, calls));
  out.add(table_of(model, question, ranked, true));
  add_legend(out, measured.from.processes, model, ranked);
  add_left_out(out, ranked.left_out);
  add_missing(out, model, {question});
}

}  // namespace bench_transfers::advice
