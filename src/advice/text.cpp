#include "src/advice/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <sstream>

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
using statistics::estimate;

constexpr std::string_view no_gpu = "(host, no GPU) ";

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

/// At most eight characters wide.
std::string error_cell(double part) {
  constexpr double most = 9.995;
  return part < most ? percent_text(part) : "> 999 %";
}

std::size_t columns_for(const measurements& measured) {
  return columns_beside_label(measured.from.has_gpu);
}

std::string origin_lines(const measurements& measured, const ignored_rows& ignored) {
  const auto columns = columns_for(measured);
  const auto& source = measured.from;
  auto text = fmt::format("{}, {}; measured {} by commit {}: {}",
                          source.device.empty() ? "unknown device" : source.device,
                          source.cpu.empty() ? "unknown CPU" : source.cpu,
                          source.started.empty() ? "at an unknown time" : source.started,
                          source.commit.empty() ? "unknown" : source.commit,
                          common::printable(source.file.string()));
  text = common::wrapped(text, columns);
  if (!source.complete)
    text += common::wrapped("Note: the run did not come to its end; this is from its first part.",
                            columns);
  if (const auto in_parts = common::in_parts_text(source.parts))
    text += fmt::format("Note: the run was {}.\n", *in_parts);
  if (source.confidential)
    text += common::wrapped(
        "Note: confidential computing was on in the device: each byte between host and device was "
        "encrypted and copied once more.",
        columns);
  if (ignored.failed > 0)
    text +=
        fmt::format("Note: {} ignored: the benchmark failed.\n", counted(ignored.failed, "row"));
  if (ignored.unusable > 0)
    text += fmt::format("Note: {} ignored: no positive time and size in it.\n",
                        counted(ignored.unusable, "row"));
  return text;
}

std::string origin_lines(const measurements& measured) {
  auto ignored = measured.ignored_transfers;
  return origin_lines(measured, ignored += measured.ignored_others);
}

std::string memory_use(const question& question) {
  return fmt::format("memory used {}; per transfer {} and {} by the CPU.",
                     question.reuse == 1 ? "once" : count_text(question.reuse) + " times",
                     counted(question.cpu_writes, "write"), counted(question.cpu_reads, "read"));
}

std::string question_line(const question& question) {
  return fmt::format("{} {}, {}\n", size_text(question.bytes), question.direction,
                     memory_use(question));
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
                              const std::string& options, std::size_t columns) {
  std::vector<std::string> sizes;
  for (const auto size : sizes_to_measure(question)) sizes.push_back(common::format_size(size));
  return common::wrapped(
      fmt::format("Cannot tell: {} cannot be told from the fastest (*), and the times may be wrong "
                  "by {}. Measure this size: bench_transfers {}--sizes={}.",
                  counted(statistically_tied(ranked).size() - 1, "strategy", "strategies"),
                  error_cell(uncertainty), options, fmt::join(sizes, ",")),
      columns);
}

std::string recommendation(const ranking& ranked, const question& question, std::size_t columns,
                           const std::string& options = "") {
  if (const auto uncertainty = reason_not_to_recommend(ranked))
    return no_recommendation(ranked, question, *uncertainty, options, columns);
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
                        sign_of(best.behind) <= 0                         ? "cannot be told from it"
                        : best.total.value <= alike * fastest.total.value ? "not 3 % slower"
                        : best.name == ranked.baseline && fastest.gain_confirmed == false
                            ? "repetitions do not confirm that it is slower"
                            : "too few repetitions tell them apart");
  if (const auto tied = statistically_tied(ranked).size(); tied > 1)
    text += fmt::format(" {} statistically indistinguishable from the fastest (*).",
                        tied == 2 ? "1 strategy is" : fmt::format("{} strategies are", tied - 1));
  return common::wrapped(text, columns);
}

/// A term of the sum, as a column of the table.
struct term {
  std::array<std::string, 2> title;
  estimate ranked_strategy::*value;
};

std::vector<term> terms_of(const cost_model& model, const question& question) {
  std::vector<term> terms;
  if (model.measured().allocation)
    terms.push_back({{"allocate", "÷ reuse"}, &ranked_strategy::allocation});
  if (model.measured().cpu_writes && question.cpu_writes > 0)
    terms.push_back({{"", "fill"}, &ranked_strategy::fill});
  terms.push_back({{"", "transfer"}, &ranked_strategy::transfer});
  if (model.measured().cpu_reads && question.cpu_reads > 0)
    terms.push_back({{"read", "back"}, &ranked_strategy::read_back});
  return terms;
}

template <class Entries, class Name>
std::size_t width_of_names(const Entries& entries, Name&& name) {
  std::size_t width = std::string_view("strategy").size();
  for (const auto& entry : entries) width = std::max(width, name(entry).size());
  return width;
}

using prices_by_strategy = std::map<std::string, price_list>;

/// The names of all prices, each a column of the table.
std::set<std::string> columns_of(const prices_by_strategy& by_strategy) {
  std::set<std::string> names;
  for (const auto& [strategy, prices] : by_strategy)
    for (const auto& [name, value] : prices) names.insert(name);
  return names;
}

std::string price_cell(const prices_by_strategy& by_strategy, const std::string& strategy,
                       const std::string& name) {
  const auto prices = by_strategy.find(strategy);
  if (prices == by_strategy.end() || !prices->second.contains(name)) return "-";
  const auto value = prices->second.at(name);
  return value == 0 ? "0" : common::three_digits(value);
}

std::string table(const cost_model& model, const question& question, const ranking& ranked,
                  bool with_pays = true) {
  const auto terms = terms_of(model, question);
  const auto tied = statistically_tied(ranked);
  const auto width =
      width_of_names(ranked.strategies, [](const auto& strategy) { return strategy.name; });
  // Long names need a narrower table.
  constexpr std::size_t behind_total = 19, usual_cell = 9;
  const bool fits =
      width + usual_cell * (terms.size() + 1) + behind_total <= common::terminal_columns;
  const auto cell = fits ? usual_cell : usual_cell - 1;
  std::array<std::string, 2> titles{fmt::format("{:<{}}", "", width),
                                    fmt::format("{:<{}}", "strategy", width)};
  const std::array<std::string, 2> pays{with_pays ? "    pays" : "", with_pays ? "    from" : ""};
  for (std::size_t line = 0; line < titles.size(); ++line) {
    for (const auto& shown : terms) titles[line] += fmt::format("{:>{}}", shown.title[line], cell);
    titles[line] += fmt::format("{:>{}}{:11}{}\n", line == 1 ? "total" : "", cell, "", pays[line]);
  }
  std::string text = titles[0] + titles[1];
  for (const auto& strategy : ranked.strategies) {
    text += fmt::format("{:<{}}", strategy.name, width);
    for (const auto& shown : terms)
      text += fmt::format("{:>{}}", time_text((strategy.*shown.value).value), cell);
    const bool marked = std::ranges::find(tied, &strategy) != tied.end();
    text += fmt::format("{:>{}}{:>8} {}{}", time_text(strategy.total.value), cell,
                        interval_text(strategy.total), marked ? '*' : ' ',
                        strategy.extrapolated ? 'e' : ' ');
    text += with_pays ? fmt::format("{:>8}\n", pays_cell(strategy.pays)) : "\n";
  }
  return text;
}

std::string without_trailing_blanks(const std::string& text) {
  std::istringstream lines(text);
  std::string stripped;
  for (std::string line; std::getline(lines, line);) {
    line.resize(line.find_last_not_of(' ') + 1);
    if (!line.empty()) stripped += line + "\n";
  }
  return stripped;
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

/// What the strategies cost besides time; empty if that is not known.
std::string price_table(const prices_by_strategy& by_strategy, const ranking& ranked) {
  const auto names = columns_of(by_strategy);
  if (names.empty()) return "";
  constexpr std::string_view title = "besides time";
  const auto width = std::max(
      title.size(),
      width_of_names(ranked.strategies, [](const auto& strategy) { return strategy.name; }));
  std::array<std::string, 2> titles{fmt::format("{:<{}}", "", width),
                                    fmt::format("{:<{}}", title, width)};
  std::map<std::string, std::size_t> cells;
  for (const auto& name : names) {
    const auto lines = title_of(name);
    cells[name] = std::max({lines[0].size(), lines[1].size(), std::size_t{5}});
    for (std::size_t line = 0; line < titles.size(); ++line)
      titles[line] += fmt::format("  {:>{}}", lines[line], cells[name]);
  }
  auto text = titles[0] + '\n' + titles[1] + '\n';
  for (const auto& strategy : ranked.strategies) {
    if (!by_strategy.contains(strategy.name)) continue;
    text += fmt::format("{:<{}}", strategy.name, width);
    for (const auto& [name, cell] : cells)
      text += fmt::format("  {:>{}}", price_cell(by_strategy, strategy.name, name), cell);
    text += '\n';
  }
  return without_trailing_blanks(text);
}

bool pays_only_up_to(const ranked_strategy& strategy) {
  return strategy.pays && strategy.pays->when == break_even::kind::up_to;
}

std::string legend(const cost_model& model, const ranking& ranked, std::size_t columns) {
  auto text = common::wrapped(
      "* fastest, or not to be told from it: the 95 % interval of the difference includes zero.",
      columns);
  if (std::ranges::any_of(ranked.strategies, &ranked_strategy::extrapolated))
    text += "e extrapolated: more than twice beyond the sizes that were measured.\n";
  if (model.measured().allocation) text += "allocate: freeing included.\n";
  if (std::ranges::any_of(ranked.strategies,
                          [](const auto& strategy) { return strategy.pays.has_value(); }))
    text += common::wrapped(
        fmt::format("pays from: transfers with the same memory from which on it takes no longer "
                    "than {}{}.",
                    ranked.baseline.value(),
                    std::ranges::any_of(ranked.strategies, pays_only_up_to)
                        ? "; <= N: it takes no longer up to N transfers, longer with more"
                        : ""),
        columns);
  return text;
}

/// Each reason once, with the strategies that it excludes.
std::string left_out_lines(const ranking& ranked, std::size_t columns) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& strategy : ranked.left_out) by_reason[strategy.reason].push_back(strategy.name);
  std::string text;
  for (const auto& [reason, names] : by_reason)
    text +=
        common::wrapped(fmt::format("Left out: {} ({}).", fmt::join(names, ", "), reason), columns);
  return text;
}

/// Stands first, because it changes the meaning of the question.
std::string allocation_line(const cost_model& model, std::size_t columns) {
  if (model.measured().allocation) return "";
  return common::wrapped(
      "Note: allocating and freeing were not measured in this file: how often memory is used again "
      "(--reuse) makes no difference, all totals go without.",
      columns);
}

/// Names the terms that are missing from the sums.
std::string missing_lines(const cost_model& model, const question& question, std::size_t columns) {
  std::string text;
  const auto note = [&](const std::string& subject) {
    text += common::wrapped(
        fmt::format("Note: {} not measured in this file, all totals go without.", subject),
        columns);
  };
  if (!model.measured().cpu_writes && question.cpu_writes > 0) note("CPU writes were");
  if (!model.measured().cpu_reads && question.cpu_reads > 0) note("CPU reads were");
  return text;
}

/// "file, cold, h2d, 1GiB".
std::string job_title(const ranked_job& answer, std::size_t columns) {
  const auto& job = *answer.job;
  auto title = job.role;
  if (job.job) title += ", " + *job.job;
  title += fmt::format(", {}, {}", answer.question.direction, size_text(answer.question.bytes));
  if (job.time != "median_ns") title += fmt::format(", by {}", job.time);
  if (!answer.model.has_memory()) return common::wrapped(title + ".", columns);
  return common::wrapped(title + ", " + memory_use(answer.question), columns);
}

std::string in_turn_lines(const alternatives& job, std::size_t columns) {
  std::string text;
  for (const auto& [name, description] : job.in_turn)
    text += common::wrapped(fmt::format("{}: {}.", name, description), columns);
  return text;
}

std::string job_text(const ranked_job& answer, std::size_t columns) {
  const auto& [job, model, question, ranked, without_memory] = answer;
  const bool with_pays = std::ranges::any_of(
      ranked.strategies, [](const auto& strategy) { return strategy.pays.has_value(); });
  const auto note = without_memory
                        ? common::wrapped(
                              "Note: totals go without the cost of memory; with it, fewer than two "
                              "strategies could be ranked.",
                              columns)
                        : "";
  return job_title(answer, columns) + note +
         recommendation(ranked, question, columns,
                        fmt::format("--strategies={} ", fmt::join(job->families, ","))) +
         "\n" + without_trailing_blanks(table(model, question, ranked, with_pays)) +
         legend(model, ranked, columns) + in_turn_lines(*job, columns) +
         left_out_lines(ranked, columns) + price_table(job->prices_at(question.bytes), ranked);
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

std::string check_row(const leave_out_check& check, const statistics::broken_line& line,
                      std::size_t width) {
  const auto half = line.half_bandwidth_bytes();
  // If half of the rate is reached only beyond the largest measured size, time hardly depends on
  // the size, and a rate (of a pool, or of cudaMalloc) would be large and meaningless.
  const bool has_rate = !half || *half <= line.largest();
  const auto bandwidth = has_rate ? line.bandwidth() : std::nullopt;
  const auto& worst = worst_of(check.sizes);
  return fmt::format(
      "{:<{}} {:>5} {:>8} {:>6} {:>8} {:>8} {:>8} {:>7}\n", check.name, width, line.lines(),
      time_text(line.t0().value), bandwidth ? common::three_digits(bandwidth->value) : "-",
      half && has_rate ? rounded_size_text(*half) : "-", error_cell(median_error(check.sizes)),
      error_cell(std::abs(worst.error())), size_text(worst.bytes));
}

/// Sums up all checks of one kind; empty if there are none.
template <class Condition>
std::string check_sum(const std::vector<leave_out_check>& checks, Condition&& belongs,
                      const char* title, std::size_t columns) {
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
  if (sizes.empty()) return "";
  const auto covered = std::ranges::count_if(sizes, &left_out_size::is_in_interval);
  auto text = common::wrapped(
      fmt::format("{}: {} left out, one at a time: median error {}, largest {}; {} within 10 %; {} "
                  "inside their 95 % interval.",
                  title, counted(sizes.size(), "size"), percent_text(median_error(sizes)),
                  percent_text(std::abs(worst_of(sizes).error())), sizes.size() - over.size(),
                  covered),
      columns);
  if (!over.empty())
    text += common::wrapped(fmt::format("More than 10 % off: {}.", fmt::join(over, ", ")), columns);
  return text;
}

}  // namespace

std::string labelled(const measurements& measured, const std::string& text) {
  return labelled(measured.from.has_gpu, text);
}

std::size_t columns_beside_label(bool has_gpu) {
  return common::terminal_columns - (has_gpu ? 0 : no_gpu.size());
}

std::string labelled(bool has_gpu, const std::string& text) {
  if (has_gpu) return text;
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);)
    result += (line.empty() ? "" : std::string(no_gpu) + line) + "\n";
  return result;
}

std::string ranking_text(const measurements& measured, const cost_model& model,
                         const question& question, const ranking& ranked) {
  const auto columns = columns_for(measured);
  return labelled(
      measured, origin_lines(measured) + allocation_line(model, columns) + question_line(question) +
                    recommendation(ranked, question, columns) + "\n" +
                    table(model, question, ranked) + legend(model, ranked, columns) +
                    left_out_lines(ranked, columns) + missing_lines(model, question, columns));
}

std::string unranked_text(const unranked_job& unranked) {
  const auto& job = *unranked.job;
  std::vector<std::string> sizes;
  for (const auto bytes : job.sizes) sizes.push_back(size_text(bytes));
  return fmt::format("{}{}{}, {} ({}; sizes: {})", job.role, job.job ? ", " : "",
                     job.job.value_or(""), result_file::to_string(job.direction), unranked.reason,
                     sizes.empty() ? "none" : fmt::format("{}", fmt::join(sizes, ", ")));
}

std::string alternatives_text(const role_answers& all) {
  const auto& answers = all.ranked;
  const auto& first = answers.front().job->measured;
  const auto columns = columns_for(first);
  auto text = origin_lines(first, all.ignored());
  const auto with_memory = std::ranges::find_if(
      answers, [](const ranked_job& answer) { return answer.model.has_memory(); });
  if (with_memory != answers.end()) text += allocation_line(with_memory->model, columns);
  for (const auto& answer : answers) text += "\n" + job_text(answer, columns);
  if (with_memory != answers.end())
    text += missing_lines(with_memory->model, with_memory->question, columns);
  for (const auto& job : all.left_out)
    text += common::wrapped(fmt::format("Left out: {}.", unranked_text(job)), columns);
  return labelled(first, text);
}

std::string check_text(const measurements& measured, const cost_model& model,
                       const std::vector<leave_out_check>& checks) {
  const auto columns = columns_for(measured);
  const auto width = width_of_names(checks, [](const auto& check) { return check.name; });
  auto text =
      origin_lines(measured) +
      fmt::format("\n{:<{}}{:>40} {:>8}\n{:<{}} {:>5} {:>8} {:>6} {:>8} {:>8} {:>8} {:>7}\n", "",
                  width, "median", "worst", "", width, "lines", "t0", "GB/s", "n½", "error",
                  "error", "at");
  for (const auto& check : checks) text += check_row(check, model.lines().at(check.name), width);
  const auto covers_allocation = [](const leave_out_check& check) {
    return is_allocation(check.measures);
  };
  text += check_sum(checks, std::not_fn(covers_allocation), "Transfers", columns);
  text += check_sum(checks, covers_allocation, "Allocating and freeing", columns);
  return labelled(measured, text);
}

}  // namespace bench_transfers::advice
