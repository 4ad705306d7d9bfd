#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "src/advice/text_parts.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::advice {
namespace {

using common::counted;
using exports::cells;

/// The lines of a name; a long one is parted at the underscore next to its middle: "bulk_loss",
/// "percent".
std::array<std::string, 2> title_of(const std::string& name) {
  constexpr std::size_t usual = 15;
  std::array<std::string, 2> lines{"", name};
  if (name.size() <= usual) return lines;
  for (auto at = name.find('_'); at != std::string::npos; at = name.find('_', at + 1))
    if (const auto longer = std::max(at, name.size() - at - 1);
        longer < std::max(lines[0].size(), lines[1].size()))
      lines = {name.substr(0, at), name.substr(at + 1)};
  return lines;
}

/// What the strategies cost besides time, where that is known.
exports::table price_table(const std::map<std::string, price_list>& by_strategy,
                           const ranking& ranked) {
  std::set<std::string> names;
  for (const auto& [strategy, prices] : by_strategy)
    for (const auto& [name, value] : prices) names.insert(name);
  exports::table table{"", {{"besides time", cells::codes}}};
  for (const auto& name : names) {
    const auto [over, title] = title_of(name);
    table.columns.push_back({title, cells::numbers, 5, over});
  }
  for (const auto& strategy : ranked.strategies) {
    const auto prices = by_strategy.find(strategy.name);
    if (prices == by_strategy.end() || names.empty()) continue;
    auto& line = table.rows.emplace_back(exports::row{{strategy.name}}).cells;
    for (const auto& name : names) {
      const auto price = prices->second.find(name);
      line.push_back(price == prices->second.end() ? "-"
                     : price->second == 0          ? "0"
                                                   : common::three_digits(price->second));
    }
  }
  return table;
}

/// "file, cold, h2d, 1GiB".
std::string job_title(const ranked_job& answer) {
  const auto& job = *answer.job;
  auto title = job.role;
  if (job.job) title += ", " + *job.job;
  title += fmt::format(", {}, {}", result_file::to_string(answer.question.direction),
                       size_text(answer.question.bytes));
  if (job.time != "median_ns") title += fmt::format(", by {}", job.time);
  if (job.reads > 0)
    title += fmt::format(", then {} by the threads that filled it", counted(job.reads, "read"));
  return title + (answer.model.has_memory() ? ", " + memory_use(answer.question) : ".");
}

void add_job(exports::answer& out, const ranked_job& answer, const calls_by_strategy& calls) {
  const auto& [job, model, question, ranked, without_memory] = answer;
  out.say(job_title(answer));
  if (without_memory)
    out.say(
        "Note: totals go without the cost of memory; with it, fewer than two strategies could be "
        "ranked.");
  out.say(recommendation(ranked, question,
                         fmt::format("--strategies={} ", fmt::join(job->families, ","))));
  add_calls(out, calls_of(ranked, question, calls, job->job));
  out.add(table_of(model, question, ranked, has_pays(ranked)));
  add_legend(out, answer.job->measured.from.processes, model, ranked);
  for (const auto& [name, description] : job->in_turn)
    out.say(fmt::format("{}: {}.", name, description));
  add_left_out(out, ranked.left_out);
  out.add(price_table(job->prices_at(question.bytes), ranked));
}

}  // namespace

std::string unranked_text(const unranked_job& unranked) {
  const auto& job = *unranked.job;
  std::vector<std::string> sizes;
  for (const auto bytes : job.sizes) sizes.push_back(size_text(bytes));
  return fmt::format("{}{}{}, {} ({}; sizes: {})", job.role, job.job ? ", " : "",
                     job.job.value_or(""), result_file::to_string(job.direction), unranked.reason,
                     sizes.empty() ? "none" : fmt::format("{}", fmt::join(sizes, ", ")));
}

void add_alternatives(exports::answer& out, const role_answers& all,
                      const calls_by_strategy& calls) {
  const auto& answers = all.ranked;
  add_origin(out, answers.front().job->measured, all.ignored());
  const auto with_memory = std::ranges::find_if(
      answers, [](const ranked_job& answer) { return answer.model.has_memory(); });
  if (with_memory != answers.end()) add_allocation(out, with_memory->model);
  for (const auto& answer : answers) {
    out.say("");
    add_job(out, answer, calls);
  }
  if (with_memory != answers.end()) add_missing(out, with_memory->model, {with_memory->question});
  for (const auto& job : all.left_out) out.say(fmt::format("Left out: {}.", unranked_text(job)));
}

}  // namespace bench_transfers::advice
