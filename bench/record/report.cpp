#include "bench/record/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <sstream>

#include "bench/harness/rows.hpp"
#include "bench/record/link.hpp"
#include "bench/record/parts.hpp"
#include "bench/record/program_facts.hpp"
#include "bench/record/run_context.hpp"
#include "src/common/program.hpp"
#include "src/common/text.hpp"
#include "src/common/writing.hpp"
#include "src/machine/trust.hpp"
#include "src/result_file/summary/summary.hpp"

namespace bench_transfers::bench {
namespace {

using json = nlohmann::ordered_json;

/// The repetitions of one benchmark.
struct repetitions {
  std::vector<run> all;  ///< that are not spoilt
  std::vector<run> counting;

  /// Aggregates need two repetitions. Whether there are any must not depend on what else runs on
  /// the machine.
  [[nodiscard]] std::vector<run> aggregates() const {
    return aggregates_of(counting.size() < 2 ? all : counting);
  }
};

std::map<std::string, repetitions> repetitions_by_name(const outcome& measured) {
  std::map<std::string, repetitions> by_name;
  for (const auto& repetition : measured.runs) {
    auto& benchmark = by_name[repetition.run_name.function_name];
    benchmark.all.push_back(repetition);
    benchmark.counting.push_back(repetition);
  }
  for (const auto& repetition : measured.slowed)
    by_name[repetition.run_name.function_name].all.push_back(repetition);
  for (auto& [name, benchmark] : by_name)
    std::ranges::sort(benchmark.all, {}, &run::repetition_index);
  return by_name;
}

/// Repetitions and their aggregates, benchmark by benchmark.
std::vector<run> with_aggregates(const outcome& measured, bool aggregates_only) {
  auto by_name = repetitions_by_name(measured);
  std::vector<run> result;
  for (const auto& first : measured.runs) {
    const auto benchmark = by_name.extract(first.run_name.function_name);
    if (benchmark.empty()) continue;  // it is there already
    const auto& all = benchmark.mapped().all;
    const auto aggregates = benchmark.mapped().aggregates();
    if (!aggregates_only || aggregates.empty()) result.insert(result.end(), all.begin(), all.end());
    result.insert(result.end(), aggregates.begin(), aggregates.end());
  }
  return result;
}

bool shows_aggregates_only(const settings& settings) {
  return settings.display_aggregates_only || settings.out_aggregates_only;
}

std::vector<json> aggregate_rows(const outcome& measured) {
  std::vector<json> rows;
  for (const auto& result : with_aggregates(measured, true))
    if (result.run_type == run::RT_Aggregate) rows.push_back(row_of(result));
  return rows;
}

/// Readers of result files need repetitions, and there may be no time to measure again.
void tell_that_repetitions_are_missing(const std::string& out) {
  common::complain("bench_transfers",
                   fmt::format("{} has aggregates instead of repetitions: export, advise, compare, "
                               "--resume and gate_transfers need it measured without "
                               "--benchmark_report_aggregates_only",
                               out));
}

/// The text of the result file; if only aggregates are requested, with aggregates that it lacks.
std::string json_to_show(const result_file::writer& file, const settings& settings,
                         const outcome& measured) {
  auto content = file.content();
  if (settings.display_aggregates_only && !settings.out_aggregates_only)
    for (auto& row : aggregate_rows(measured)) content["benchmarks"].push_back(std::move(row));
  return result_file::to_text(content, shows_aggregates_only(settings));
}

json signal_name(int signal) {
  if (signal == 0) return nullptr;
  return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

void write_other_format(const settings& settings, const outcome& measured) {
  std::ostringstream text;
  print_runs(text, settings.out_format, with_aggregates(measured, settings.out_aggregates_only));
  common::write_whole(settings.out, text.str());
}

/// Several processes may share the output: each line is written at once, so that those of others
/// come between lines.
void print_by_lines(std::ostream& out, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out << line + "\n" << std::flush;
}

/// Completes the clocks of the device with this index, and adds warnings about changes.
void finish_device(json& facts, std::size_t index, const outcome& measured,
                   const observation& start, const observation& end) {
  if (!measured.lost_devices.contains(index) && to_json(end.link) != to_json(start.link))
    facts["warnings"].push_back(common::to_json(common::message{
        "link_changed",
        {{"device", index}, {"start", to_json(start.link)}, {"end", to_json(end.link)}},
        "the link changed its speed or width during the run"}));
  const machine::clocks_of_run clocks{start.clocks, end.clocks, measured.throttled_by.at(index)};
  const auto described = machine::to_json(clocks);
  if (index == 0) facts["clocks"] = described;
  facts["devices"][index]["clocks"] = described.at("gpu");
  for (const auto& doubt : machine::doubts(clocks))
    facts["warnings"].push_back(common::to_json(doubt));
}

std::optional<common::message> warning_of(const disturbance_counts& counts) {
  if (counts.disturbed == 0) return std::nullopt;
  json by_code = json::object();
  std::vector<std::string> words;
  for (const auto& [code, count] : counts.by_code) {
    by_code[to_string(code)] = count;
    words.push_back(fmt::format("{} {}", to_string(code), count));
  }
  return common::message{
      "repetitions_disturbed",
      {{"repetitions", counts.repetitions},
       {"disturbed", counts.disturbed},
       {"counted", counts.counted},
       {"by", by_code}},
      fmt::format("{} of {} repetitions were disturbed from outside ({}){}", counts.disturbed,
                  counts.repetitions, fmt::join(words, ", "),
                  counts.counted == 0
                      ? "; none of them counts"
                      : fmt::format("; {} of them count, because their benchmarks have no "
                                    "better ones",
                                    counts.counted))};
}

/// "there was too little time (--max-time): of 142 benchmarks, 12 left out, 130 repeated less
/// often"
std::string sentence_of(const cut_off& cut, std::size_t planned) {
  std::vector<std::string> parts;
  if (!cut.left_out.empty()) parts.push_back(fmt::format("{} left out", cut.left_out.size()));
  if (!cut.shortened.empty())
    parts.push_back(fmt::format("{} repeated less often", cut.shortened.size()));
  if (!cut.unstable.empty())
    parts.push_back(fmt::format("{} not repeated until stable", cut.unstable.size()));
  return fmt::format("there was too little time (--max-time): of {}, {}",
                     common::counted(planned, "benchmark"), fmt::join(parts, ", "));
}

std::optional<common::message> warning_of(const cut_off& cut, const settings& settings,
                                          const plan& plan) {
  if (cut.empty()) return std::nullopt;
  const auto planned = plan.cases.size() + plan.set_aside.size();
  return common::message{
      "max_time_reached",
      {{"max_time_s", std::chrono::duration<double>(settings.max_time.value()).count()},
       {"benchmarks", planned},
       {"left_out", cut.left_out},
       {"shortened", cut.shortened},
       {"unstable", cut.unstable}},
      sentence_of(cut, planned)};
}

}  // namespace

void finish(result_file::writer& file, json context, const settings& settings, const plan& plan,
            const outcome& measured, std::span<const observation> start,
            std::span<const observation> end, const earlier_run* earlier) {
  auto aggregates = settings.out_aggregates_only ? aggregate_rows(measured) : std::vector<json>{};
  const bool lacks_repetitions = !aggregates.empty();
  for (auto& row : aggregates) file.add(std::move(row));
  auto& facts = context.at("transfers");
  facts["metrics"] = file.content().at("context").at("transfers").at("metrics");
  facts["run"]["finished_utc"] = utc_now();
  facts["run"]["interrupted_by"] = signal_name(measured.signal);
  facts["complete"] = measured.signal == 0 && measured.by_time.empty() &&
                      measured.lost_devices.empty() && !measured.write_failure &&
                      settings.process.is_last();
  facts["skipped"] = to_json(plan.skipped);
  for (const auto& skipped : to_json(measured.skipped)) facts["skipped"].push_back(skipped);
  for (std::size_t i = 0; i < start.size(); ++i)
    finish_device(facts, i, measured, start[i], end[i]);
  if (const auto warning = warning_of(measured.disturbances))
    facts["warnings"].push_back(common::to_json(*warning));
  if (const auto warning = warning_of(measured.by_time, settings, plan))
    facts["warnings"].push_back(common::to_json(*warning));
  for (const auto& warning : measured.warnings)
    facts["warnings"].push_back(common::to_json(warning));
  if (earlier)
    context = with_earlier_parts(std::move(context), *earlier, settings.process.continues());
  const auto& written = file.content().at("context").at("transfers");
  if (const auto sentinels = written.find("sentinels"); sentinels != written.end())
    context.at("transfers")["sentinels"] = *sentinels;
  std::vector<std::string> order;
  for (const auto& [name, described] : context.at("transfers").at("benchmarks").items())
    order.push_back(name);
  file.set_facts(std::move(context.at("transfers")));
  file.finish(settings.out_aggregates_only, order);
  if (!settings.out.empty() && settings.out_format != "json")
    write_other_format(settings, measured);
  else if (!settings.out.empty() && lacks_repetitions)
    tell_that_repetitions_are_missing(settings.out);
}

void report(std::ostream& out, const result_file::writer& file, const settings& settings,
            const outcome& measured) {
  if (settings.display_format == "json")
    out << json_to_show(file, settings, measured);
  else if (!settings.display_format.empty())
    print_runs(out, settings.display_format,
               with_aggregates(measured, shows_aggregates_only(settings)));
  else
    print_by_lines(out,
                   result_file::summary(
                       file.content(), common::columns_of(stdout, common::terminal_columns),
                       settings.brief ? result_file::detail::brief : result_file::detail::all));
  out.flush();
  if (!out) throw common::write_error("cannot write to standard output");
}

}  // namespace bench_transfers::bench
