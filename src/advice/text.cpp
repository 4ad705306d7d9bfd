#include "src/advice/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "src/common/message.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::advice {
namespace {

using common::count_text;
using common::counted;
using common::percent_text;
using common::time_text;
using exports::cells;
using statistics::estimate;

constexpr const char* extrapolated_legend =
    "e extrapolated: more than twice beyond the sizes that were measured.";

std::string size_text(double bytes) { return common::format_size(static_cast<std::size_t>(bytes)); }

/// Rounds to a whole number of a unit that leaves two digits or more.
std::string rounded_size_text(double bytes) {
  double unit = 1;
  while (bytes >= 10 * 1024 * unit && unit < 1024.0 * 1024 * 1024) unit *= 1024;
  return size_text(std::max(1.0, std::round(bytes / unit)) * unit);
}

std::string interval_text(const estimate& shown) {
  const double part = std::max(shown.high - shown.value, shown.value - shown.low) / shown.value;
  return part < 9.995 ? fmt::format("± {:.0f} %", std::ceil(100 * part)) : "> 999 %";
}

std::string error_cell(double part) {
  constexpr double most = 9.995;
  return part < most ? percent_text(part) : "> 999 %";
}

void add_origin(exports::answer& out, const measurements& measured, const ignored_rows& ignored) {
  const auto& source = measured.from;
  out.say(fmt::format("{}, {}; measured {} by commit {}: {}",
                      source.device.empty() ? "unknown device" : source.device,
                      source.cpu.empty() ? "unknown CPU" : source.cpu,
                      source.started.empty() ? "at an unknown time" : source.started,
                      source.commit.empty() ? "unknown" : source.commit,
                      common::printable(source.file.string())));
  if (!source.complete)
    out.say("Note: the run did not come to its end; this is from its first part.");
  if (const auto in_parts = common::in_parts_text(source.parts))
    out.say(fmt::format("Note: the run was {}.", *in_parts));
  if (source.confidential)
    out.say(
        "Note: confidential computing was on in the device: each byte between host and device was "
        "encrypted and copied once more.");
  if (ignored.failed > 0)
    out.say(fmt::format("Note: {} ignored: the benchmark failed.", counted(ignored.failed, "row")));
  if (ignored.unusable > 0)
    out.say(fmt::format("Note: {} ignored: no positive time and size in it.",
                        counted(ignored.unusable, "row")));
}

void add_origin(exports::answer& out, const measurements& measured) {
  auto ignored = measured.ignored_transfers;
  add_origin(out, measured, ignored += measured.ignored_others);
}

std::string accesses(const question& question) {
  return fmt::format("per transfer {} and {} by the CPU{}.", counted(question.cpu_writes, "write"),
                     counted(question.cpu_reads, "read"),
                     question.lines == result_file::cache_state::warm
                         ? ""
                         : "; memory " + result_file::describe(question.lines));
}

std::string memory_use(const question& question) {
  return fmt::format("memory used {}; {}",
                     question.reuse == 1 ? "once" : count_text(question.reuse) + " times",
                     accesses(question));
}

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
  std::vector<std::string> sizes;
  for (const auto size : sizes_to_measure(question)) sizes.push_back(common::format_size(size));
  return fmt::format(
      "Cannot tell: {} cannot be told from the fastest (*), and the times may be wrong by {}. "
      "Measure this size: bench_transfers {}{}--sizes={}.",
      counted(statistically_tied(ranked).size() - 1, "strategy", "strategies"),
      error_cell(uncertainty), options,
      question.lines == result_file::cache_state::warm
          ? ""
          : fmt::format("--cache={} ", result_file::to_string(question.lines)),
      fmt::join(sizes, ","));
}

/// A strategy may be alike only because little is known of it.
std::string not_told_from_it(const ranked_strategy& best) {
  constexpr double half_of_it = 0.5;
  const auto part = uncertainty_of(best);
  return part < half_of_it
             ? "cannot be told from it"
             : fmt::format("cannot be told from it: its time may be wrong by {}", error_cell(part));
}

std::string recommendation(const ranking& ranked, const question& question,
                           const std::string& options = "") {
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
  if (const auto tied = statistically_tied(ranked).size(); tied > 1)
    text += fmt::format(" {} statistically indistinguishable from the fastest (*).",
                        tied == 2 ? "1 strategy is" : fmt::format("{} strategies are", tied - 1));
  return text;
}

/// Of what is recommended; null if that is nothing, or they are not known.
const program_calls* calls_of(const ranking& ranked, const question& question,
                              const calls_by_strategy& calls,
                              const std::optional<std::string>& job = {}) {
  if (ranked.strategies.empty() || reason_not_to_recommend(ranked)) return nullptr;
  const auto& name = recommended(ranked).name;
  auto known = calls.find({name + "/" + job.value_or(""), question.direction});
  if (known == calls.end()) known = calls.find({name, question.direction});
  return known == calls.end() || known->second.lines.empty() ? nullptr : &known->second;
}

std::string in_one_line(std::string lines) {
  std::ranges::replace(lines, '\n', ' ');
  return lines;
}

void add_note_on_launches(exports::answer& out, const program_calls& calls) {
  constexpr const char* page = "(docs/fast_paths/company.md)";
  if (calls.page_locks)
    out.say(fmt::format(
        "Kernel launches of other threads wait during cudaHostRegister, cudaHostUnregister and "
        "cudaMemcpy {}.",
        page));
  else if (calls.holds_launches)
    out.say(fmt::format(
        "Kernel launches of other threads wait while cudaMemcpy copies. If there are any, call "
        "cudaMemcpyAsync and cudaStreamSynchronize instead {}.",
        page));
}

/// What is recommended, as a program calls it.
void add_calls(exports::answer& out, const program_calls* calls) {
  if (calls == nullptr) return;
  out.say("Calls: " + in_one_line(calls->lines));
  add_note_on_launches(out, *calls);
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

exports::table table_of(const cost_model& model, const question& question, const ranking& ranked,
                        bool with_pays = true) {
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

bool pays_only_up_to(const ranked_strategy& strategy) {
  return strategy.pays && strategy.pays->when == break_even::kind::up_to;
}

void add_legend(exports::answer& out, int processes, const cost_model& model,
                const ranking& ranked) {
  out.say(fmt::format(
      "* fastest, or not told from it{}: the 95 % interval of the difference includes 0.",
      processes == 1 ? " in this process" : ""));
  if (std::ranges::any_of(ranked.strategies, &ranked_strategy::extrapolated))
    out.say(extrapolated_legend);
  if (model.measured().allocation) out.say("allocate: freeing included.");
  if (std::ranges::any_of(ranked.strategies,
                          [](const auto& strategy) { return strategy.pays.has_value(); }))
    out.say(
        fmt::format("pays from: transfers with the same memory from which on it takes no "
                    "longer than {}{}.",
                    ranked.baseline.value(),
                    std::ranges::any_of(ranked.strategies, pays_only_up_to)
                        ? "; <= N: it takes no longer up to N transfers, longer with more"
                        : ""));
}

/// Each reason once, with the strategies that it excludes.
void add_left_out(exports::answer& out, const ranking& ranked) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& strategy : ranked.left_out) by_reason[strategy.reason].push_back(strategy.name);
  for (const auto& [reason, names] : by_reason)
    out.say(fmt::format("Left out: {} ({}).", fmt::join(names, ", "), reason));
}

/// A line of the table of several questions.
exports::row row_of(const ranked_question& answer) {
  const auto& [asked, ranked] = answer;
  std::vector<std::string> line{size_text(asked.bytes), asked.direction, count_text(asked.reuse)};
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
  std::vector<std::string> texts;
  for (const auto size : sizes) texts.push_back(common::format_size(size));
  const auto lines = answers.front().asked.lines;
  out.say(fmt::format("Measure what cannot be told: bench_transfers {}--sizes={}.",
                      lines == result_file::cache_state::warm
                          ? ""
                          : fmt::format("--cache={} ", result_file::to_string(lines)),
                      fmt::join(texts, ",")));
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
    auto line = fmt::format("{}, {}: {}", recommended(ranked).name, asked.direction,
                            in_one_line(known->lines));
    if (shown.insert(line).second) out.say(std::move(line));
  }
  add_note_on_launches(out, all);
}

/// Stands first, because it changes the meaning of the question.
void add_allocation(exports::answer& out, const cost_model& model) {
  if (!model.measured().allocation)
    out.say(
        "Note: allocating and freeing were not measured in this file: how often memory is used "
        "again (--reuse) makes no difference, all totals go without.");
}

/// Names the terms that are missing from the sums.
void add_missing(exports::answer& out, const cost_model& model,
                 const std::vector<question>& questions) {
  const auto note = [&](const char* subject) {
    out.say(fmt::format("Note: {} not measured in this file, all totals go without.", subject));
  };
  const auto any_has = [&](double question::*accesses) {
    return std::ranges::any_of(questions,
                               [accesses](const auto& question) { return question.*accesses > 0; });
  };
  if (!model.measured().cpu_writes && any_has(&question::cpu_writes)) note("CPU writes were");
  if (!model.measured().cpu_reads && any_has(&question::cpu_reads)) note("CPU reads were");
}

/// "file, cold, h2d, 1GiB".
std::string job_title(const ranked_job& answer) {
  const auto& job = *answer.job;
  auto title = job.role;
  if (job.job) title += ", " + *job.job;
  title += fmt::format(", {}, {}", answer.question.direction, size_text(answer.question.bytes));
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
  out.add(table_of(model, question, ranked,
                   std::ranges::any_of(ranked.strategies, [](const auto& strategy) {
                     return strategy.pays.has_value();
                   })));
  add_legend(out, answer.job->measured.from.processes, model, ranked);
  for (const auto& [name, description] : job->in_turn)
    out.say(fmt::format("{}: {}.", name, description));
  add_left_out(out, ranked);
  out.add(price_table(job->prices_at(question.bytes), ranked));
}

double median_error(const std::vector<left_out_size>& sizes) {
  std::vector<double> errors;
  errors.reserve(sizes.size());
  for (const auto& size : sizes) errors.push_back(std::abs(size.error()));
  return statistics::median(errors);
}

const left_out_size& worst_of(const std::vector<left_out_size>& sizes) {
  return *std::ranges::max_element(sizes, {},
                                   [](const auto& size) { return std::abs(size.error()); });
}

exports::row check_row(const leave_out_check& check, const statistics::broken_line& line) {
  const auto half = line.half_bandwidth_bytes();
  // If half of the rate is reached only beyond the largest measured size, time hardly depends on
  // the size, and a rate (of a pool, or of cudaMalloc) would be large and meaningless.
  const bool has_rate = !half || *half <= line.largest();
  const auto bandwidth = has_rate ? line.bandwidth() : std::nullopt;
  const auto& worst = worst_of(check.sizes);
  return {{check.name, fmt::format("{}", line.lines()), time_text(line.t0().value),
           bandwidth ? common::three_digits(bandwidth->value) : "-",
           half && has_rate ? rounded_size_text(*half) : "-", error_cell(median_error(check.sizes)),
           error_cell(std::abs(worst.error())), size_text(worst.bytes)}};
}

/// Sums up all checks of one kind.
template <class Condition>
void add_check_sum(exports::answer& out, const std::vector<leave_out_check>& checks,
                   Condition&& belongs, const char* title) {
  std::vector<left_out_size> sizes;
  std::vector<std::string> over;
  for (const auto& check : checks) {
    if (!belongs(check)) continue;
    for (const auto& size : check.sizes) {
      sizes.push_back(size);
      if (std::abs(size.error()) > 0.1)
        over.push_back(fmt::format("{} at {} ({:+.1f} %)", check.name, size_text(size.bytes),
                                   100 * size.error()));
    }
  }
  if (sizes.empty()) return;
  const auto covered = std::ranges::count_if(sizes, &left_out_size::is_in_interval);
  out.say(fmt::format(
      "{}: {} left out, one at a time: median error {}, largest {}; {} within 10 %; {} inside "
      "their 95 % interval.",
      title, counted(sizes.size(), "size"), percent_text(median_error(sizes)),
      percent_text(std::abs(worst_of(sizes).error())), sizes.size() - over.size(), covered));
  if (!over.empty()) out.say(fmt::format("More than 10 % off: {}.", fmt::join(over, ", ")));
}

}  // namespace

std::string label_of(bool has_gpu) { return has_gpu ? "" : "(host, no GPU) "; }

void add_ranking(exports::answer& out, const measurements& measured, const cost_model& model,
                 const ranked_question& answer, const calls_by_strategy& calls) {
  const auto& [question, ranked] = answer;
  add_origin(out, measured);
  add_allocation(out, model);
  out.say(fmt::format("{} {}, {}", size_text(question.bytes), question.direction,
                      memory_use(question)));
  out.say(recommendation(ranked, question));
  add_calls(out, calls_of(ranked, question, calls));
  out.add(table_of(model, question, ranked));
  add_legend(out, measured.from.processes, model, ranked);
  add_left_out(out, ranked);
  add_missing(out, model, {question});
}

std::string why_unranked(const ranked_question& answer) {
  const auto& left_out = answer.ranked.left_out;
  return left_out.empty() ? fmt::format("no transfers {} in the file", answer.asked.direction)
                          : fmt::format("{}: {}", left_out.front().name, left_out.front().reason);
}

void add_rankings(exports::answer& out, const measurements& measured, const cost_model& model,
                  std::span<const ranked_question> answers, const calls_by_strategy& calls) {
  add_origin(out, measured);
  add_allocation(out, model);
  std::vector<question> questions;
  std::set<std::string> directions;
  for (const auto& [asked, ranked] : answers) {
    questions.push_back(asked);
    if (directions.insert(asked.direction).second)
      out.say(fmt::format("{}: {}", asked.direction, accesses(asked)));
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
      "told "
      "from the fastest. A question asked alone lists all strategies.");
  if (std::ranges::any_of(answers, [](const auto& answer) {
        const auto& ranked = answer.ranked;
        return !ranked.strategies.empty() && recommended(ranked).extrapolated;
      }))
    out.say(extrapolated_legend);
  add_calls(out, answers, calls);
  add_measurement(out, answers);
  ranking all;
  std::set<std::pair<std::string, std::string>> left_out;
  for (const auto& answer : answers)
    for (const auto& strategy : answer.ranked.left_out)
      if (left_out.emplace(strategy.name, strategy.reason).second) all.left_out.push_back(strategy);
  add_left_out(out, all);
  add_missing(out, model, questions);
}

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

void add_check(exports::answer& out, const measurements& measured, const cost_model& model,
               const std::vector<leave_out_check>& checks) {
  add_origin(out, measured);
  exports::table table{"",
                       {{"", cells::codes, 8},
                        {"lines", cells::numbers},
                        {"t0", cells::numbers, 7},
                        {"GB/s", cells::numbers, 5},
                        {"n½", cells::numbers, 7},
                        {"error", cells::numbers, 7, "median"},
                        {"error", cells::numbers, 7, "worst"},
                        {"at", cells::numbers, 6}}};
  for (const auto& check : checks)
    table.rows.push_back(check_row(check, model.lines().at(check.name)));
  out.add(std::move(table));
  const auto covers_allocation = [](const leave_out_check& check) {
    return is_allocation(check.measures);
  };
  add_check_sum(out, checks, std::not_fn(covers_allocation), "Transfers");
  add_check_sum(out, checks, covers_allocation, "Allocating and freeing");
}

}  // namespace bench_transfers::advice
