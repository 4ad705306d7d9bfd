#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "src/advice/text_parts.hpp"
#include "src/common/text.hpp"

// Several questions, each in a line.

namespace bench_transfers::advice {
namespace {

using common::count_text;
using common::percent_text;
using common::time_text;
using exports::cells;

/// A line of the table of several questions.
exports::row row_of(const ranked_question& answer) {
  const auto& [asked, ranked] = answer;
  std::vector<std::string> line{size_text(asked.bytes), result_file::to_string(asked.direction),
                                count_text(asked.reuse)};
  const auto ends_with = [&](const std::vector<std::string>& rest, const std::string& note = "") {
    line.insert(line.end(), rest.begin(), rest.end());
    return exports::row{line, note};
  };
  if (ranked.strategies.empty())
    return ends_with({"-", "-", "-", "-", "-"}, "nothing to rank: " + why_unranked(answer));
  const auto& best = recommended(ranked);
  const auto alike = statistically_tied(ranked);
  const auto others = alike.size() - static_cast<std::size_t>(std::ranges::count(alike, &best));
  const auto as_fast = fmt::format("{}", others);
  if (const auto uncertainty = reason_not_to_recommend(ranked))
    return ends_with({"(cannot tell)", "-", error_cell(*uncertainty), "-", as_fast});
  const auto& fastest = ranked.strategies.front();
  return ends_with(
      {best.name, time_text(best.total.value),
       interval_text(best.total) + (best.extrapolated ? " e" : "  "),
       best.name == fastest.name ? "-" : percent_text(best.total.value / fastest.total.value - 1),
       as_fast});
}

/// The run that would tell what cannot be told.
void add_measurement(exports::answer& out, std::span<const ranked_question> answers) {
  std::set<std::size_t> sizes;
  for (const auto& [asked, ranked] : answers)
    if (!ranked.strategies.empty() && reason_not_to_recommend(ranked))
      for (const auto size : sizes_to_measure(asked)) sizes.insert(size);
  if (sizes.empty()) return;
  out.say(
      fmt::format("Measure what cannot be told: {}.", run_of(sizes, answers.front().asked.lines)));
}

/// Once for each strategy and direction.
void add_calls(exports::answer& out, std::span<const ranked_question> answers,
               const calls_by_strategy& calls) {
  std::set<std::string> shown;
  program_calls all;
  for (const auto& [asked, ranked] : answers) {
    const auto* const known = calls_of(ranked, asked, calls);
    if (known == nullptr) continue;
    all.holds_launches |= known->holds_launches;
    all.page_locks |= known->page_locks;
    auto line = fmt::format("{}, {}: {}", recommended(ranked).name,
                            result_file::to_string(asked.direction), in_one_line(known->lines));
    if (shown.insert(line).second) out.say(std::move(line));
  }
  add_note_on_launches(out, all);
}

}  // namespace

std::string why_unranked(const ranked_question& answer) {
  const auto& left_out = answer.ranked.left_out;
  return left_out.empty() ? fmt::format("no transfers {} in the file",
                                        result_file::to_string(answer.asked.direction))
                          : fmt::format("{}: {}", left_out.front().name, left_out.front().reason);
}

void add_rankings(exports::answer& out, const measurements& measured, const cost_model& model,
                  std::span<const ranked_question> answers, const calls_by_strategy& calls) {
  add_origin(out, measured);
  add_allocation(out, model);
  std::vector<question> questions;
  std::set<result_file::direction> directions;
  for (const auto& [asked, ranked] : answers) {
    questions.push_back(asked);
    if (directions.insert(asked.direction).second)
      out.say(fmt::format("{}: {}", result_file::to_string(asked.direction), accesses(asked)));
  }
  exports::table table{"",
                       {{"bytes", cells::numbers},
                        {"", cells::words},
                        {"reuse", cells::numbers},
                        {"use", cells::codes},
                        {"per transfer", cells::numbers},
                        {"95 %", cells::numbers},
                        {"longer", cells::numbers},
                        {"as fast", cells::numbers}}};
  for (const auto& answer : answers) table.rows.push_back(row_of(answer));
  out.add(std::move(table));
  out.say(
      "longer: than the fastest, which is less plain. as fast: other strategies that cannot be "
      "told from the fastest. A question asked alone lists all strategies.");
  if (std::ranges::any_of(answers, [](const auto& answer) {
        const auto& ranked = answer.ranked;
        return !ranked.strategies.empty() && recommended(ranked).extrapolated;
      }))
    out.say(extrapolated_legend);
  add_calls(out, answers, calls);
  add_measurement(out, answers);
  std::vector<left_out> left_out_of_all;
  std::set<std::pair<std::string, std::string>> known;
  for (const auto& answer : answers)
    for (const auto& strategy : answer.ranked.left_out)
      if (known.emplace(strategy.name, strategy.reason).second) left_out_of_all.push_back(strategy);
  add_left_out(out, left_out_of_all);
  add_missing(out, model, questions);
}

}  // namespace bench_transfers::advice
