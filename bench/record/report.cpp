#include "bench/record/report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/record/link.hpp"
#include "bench/record/run_context.hpp"
#include "src/common/whole_file.hpp"
#include "src/common/wrapped.hpp"
#include "src/machine/trust.hpp"
#include "src/result_file/summary/summary.hpp"

namespace bench_transfers::bench {
namespace {

using json = nlohmann::ordered_json;

/// Repetitions and their aggregates, benchmark by benchmark.
std::vector<run> with_aggregates(const std::vector<run>& runs, bool aggregates_only) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<run>> by_name;
  for (const auto& one : runs) {
    const auto [found, added] = by_name.try_emplace(one.run_name.function_name);
    if (added) order.push_back(found->first);
    found->second.push_back(one);
  }
  std::vector<run> all;
  for (const auto& name : order) {
    const auto& repetitions = by_name.at(name);
    const auto aggregates = aggregates_of(repetitions);
    if (!aggregates_only || aggregates.empty())
      all.insert(all.end(), repetitions.begin(), repetitions.end());
    all.insert(all.end(), aggregates.begin(), aggregates.end());
  }
  return all;
}

bool shows_aggregates_only(const options& chosen) {
  return chosen.display_aggregates_only || chosen.out_aggregates_only;
}

std::vector<json> aggregate_rows(const std::vector<run>& runs) {
  std::vector<json> rows;
  for (const auto& one : with_aggregates(runs, true))
    if (one.run_type == run::RT_Aggregate) rows.push_back(row_of(one));
  return rows;
}

/// The result file's text, or with aggregates alone though the file has none.
std::string json_to_show(const result_file::writer& file, const options& chosen,
                         const std::vector<run>& runs) {
  auto content = file.content();
  if (chosen.display_aggregates_only && !chosen.out_aggregates_only)
    for (auto& row : aggregate_rows(runs)) content["benchmarks"].push_back(std::move(row));
  return result_file::to_text(content, shows_aggregates_only(chosen));
}

json signal_name(int signal) {
  if (signal == 0) return nullptr;
  return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

void write_other_format(const options& chosen, const std::vector<run>& runs) {
  std::ostringstream text;
  print_runs(text, chosen.out_format, with_aggregates(runs, chosen.out_aggregates_only));
  common::write_whole(chosen.out, text.str());
}

}  // namespace

namespace {

/// Text in lines that all begin in the same column, the first one beside a title that fits there.
void print_beside(std::ostream& out, std::string title, std::size_t column,
                  const std::string& text) {
  if (title.size() >= column) {
    fmt::print(out, "{}\n", title);
    title.clear();
  }
  std::istringstream lines(common::wrapped(text, common::terminal_columns - column, 0));
  for (std::string line; std::getline(lines, line); title.clear())
    fmt::print(out, "{:<{}} {}\n", title, column - 1, line);
}

}  // namespace

void list_strategies(std::ostream& out, const std::vector<const strategy*>& strategies,
                     const transfers::device& device) {
  for (const auto* const one : strategies) {
    const auto reason = why_unsupported(*one, device);
    std::vector<std::string> names;
    for (const auto& variant : one->variants) names.push_back(variant.name);
    print_beside(out, one->name(), 35, one->summary);
    print_beside(out, "", 37,
                 fmt::format("{}{}{}", fmt::join(names, ", "), names.empty() ? "" : "; ",
                             reason ? "not on this device: " + *reason : "runs on this device"));
  }
}

void list_benchmarks(std::ostream& out, const plan& all) {
  for (const auto& one : all.cases) fmt::print(out, "{}\n", one.name);
}

namespace {

/// Completes the clocks of the device with this index, and warns of what happened meanwhile.
void finish_device(json& facts, std::size_t index, const outcome& measured,
                   const observation& start, const observation& end) {
  if (!measured.device_lost && to_json(end.link) != to_json(start.link))
    facts["warnings"].push_back(common::to_json(common::message{
        "link_changed",
        {{"device", index}, {"start", to_json(start.link)}, {"end", to_json(end.link)}},
        "the link changed its speed or width during the run"}));
  const machine::clocks_of_run clocks{start.clocks, end.clocks, measured.throttled_by.at(index)};
  const auto written = machine::to_json(clocks);
  if (index == 0) facts["clocks"] = written;
  facts["devices"][index]["clocks"] = written.at("gpu");
  for (const auto& doubt : machine::doubts(clocks))
    facts["warnings"].push_back(common::to_json(doubt));
}

}  // namespace

void finish(result_file::writer& file, const options& chosen, const plan& all,
            const outcome& measured, std::span<const observation> start,
            std::span<const observation> end) {
  if (chosen.out_aggregates_only)
    for (auto& row : aggregate_rows(measured.runs)) file.add(std::move(row));
  auto facts = file.content().at("context").at("transfers");
  facts["run"]["finished_utc"] = utc_now();
  facts["run"]["interrupted_by"] = signal_name(measured.signal);
  facts["complete"] = measured.signal == 0 && !measured.device_lost && !measured.write_failure;
  facts["skipped"] = to_json(all.skipped);
  for (const auto& skipped : to_json(measured.skipped)) facts["skipped"].push_back(skipped);
  for (std::size_t i = 0; i < start.size(); ++i)
    finish_device(facts, i, measured, start[i], end[i]);
  file.set_facts(std::move(facts));
  std::vector<std::string> order;
  for (const auto& one : all.cases) order.push_back(one.name);
  file.finish(chosen.out_aggregates_only, order);
  if (!chosen.out.empty() && chosen.out_format != "json") write_other_format(chosen, measured.runs);
}

void report(std::ostream& out, const result_file::writer& file, const options& chosen,
            const outcome& measured) {
  if (chosen.display_format == "json")
    out << json_to_show(file, chosen, measured.runs);
  else if (!chosen.display_format.empty())
    print_runs(out, chosen.display_format,
               with_aggregates(measured.runs, shows_aggregates_only(chosen)));
  else
    out << result_file::summary(file.content());
  out.flush();
  if (!out) throw common::write_error("cannot write to standard output");
}

}  // namespace bench_transfers::bench
