#include "bench/harness/outcome.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "bench/harness/rows.hpp"
#include "bench/harness/surroundings.hpp"
#include "src/result_file/slow_rounds.hpp"

namespace bench_transfers::bench {
namespace {

using json = nlohmann::ordered_json;
using result_file::disturbance_degree;
using degrees = std::map<std::string, disturbance_degree>;                       ///< by benchmark
using disturbances = std::map<std::string, std::set<result_file::disturbance>>;  ///< likewise

/// Of the repetitions, those of earlier parts of the run included.
degrees least_degrees(std::span<const repetition> repetitions,
                      std::span<const measured_case> cases) {
  degrees least;
  for (const auto& [reported, disturbed, round] : repetitions) {
    const auto degree = degree_of(disturbed);
    auto& known = least.try_emplace(reported.benchmark_name(), degree).first->second;
    known = std::min(known, degree);
  }
  for (const auto& measured : cases)
    if (const auto entry = least.find(measured.planned->name); entry != least.end())
      entry->second =
          std::min(entry->second, measured.planned->earlier.least.value_or(entry->second));
  return least;
}

/// What has spoilt all repetitions of benchmarks that earlier parts of the run have measured.
disturbances spoilt_before(std::span<const measured_case> cases, const degrees& measured_now,
                           int rounds) {
  disturbances spoilt;
  for (const auto& measured : cases) {
    const auto& [name, earlier] = std::tie(measured.planned->name, measured.planned->earlier);
    if (!measured_now.contains(name) && earlier.are_spoilt() && measured.is_measured(rounds))
      spoilt[name] = earlier.spoilt_by;
  }
  return spoilt;
}

/// Takes those of the least degree to the outcome, or to `spoilt`.
void count(std::span<const repetition> repetitions, const degrees& least, disturbances& spoilt,
           outcome& result) {
  for (const auto& [reported, disturbed, round] : repetitions) {
    const auto name = reported.benchmark_name();
    const bool is_least = degree_of(disturbed) == least.at(name);
    if (is_least && are_spoilt(disturbed)) {
      spoilt[name].insert(disturbed.begin(), disturbed.end());
    } else if (is_least) {
      result.runs.push_back(reported);
    } else if (!are_spoilt(disturbed)) {
      result.slowed.push_back(reported);
    }
  }
}

/// Of all rows of the file, those of earlier parts of the run included.
disturbance_counts counts_in(const json& rows) {
  degrees least;
  std::vector<std::pair<std::string, std::set<result_file::disturbance>>> repetitions;
  for (const auto& row : rows) {
    if (row.contains("error_occurred") || row.value("run_type", "") == "aggregate") continue;
    auto disturbed = disturbances_of(row);
    auto& known = least.try_emplace(row.value("run_name", ""), degree_of(disturbed)).first->second;
    known = std::min(known, degree_of(disturbed));
    repetitions.emplace_back(row.value("run_name", ""), std::move(disturbed));
  }
  disturbance_counts counts;
  counts.repetitions = repetitions.size();
  for (const auto& [name, disturbed] : repetitions) {
    if (disturbed.empty()) continue;
    ++counts.disturbed;
    if (degree_of(disturbed) == least.at(name) && !are_spoilt(disturbed)) ++counts.counted;
    for (const auto code : disturbed) ++counts.by_code[code];
  }
  return counts;
}

}  // namespace

nlohmann::ordered_json results::of_process(nlohmann::ordered_json row) const {
  const auto& process = settings_.process;
  if (process.count > 1 || process.number > 1) row["process"] = process.number;
  return row;
}

void results::add(case_runner::measurement made) {
  for (const auto& [metric, value] : made.metrics.entries()) {
    rows_.describe(metric);
    made.repetition.reported.counters[metric.name] = value;
  }
  repetitions_.push_back(std::move(made.repetition));
  auto row = of_process(row_of(repetitions_.back().reported, repetitions_.back().disturbed));
  row["round"] = repetitions_.back().round;
  rows_.add(std::move(row));
}

void results::add(const std::vector<result_file::sentinel_readings>& of_round,
                  std::span<const sentinel_refusal> refusals) {
  rows_.revise([&](auto& facts, auto& /*rows*/) {
    auto& kept = facts["sentinels"];
    if (kept.is_null()) kept = {{"readings", json::array()}, {"skipped", json::array()}};
    for (const auto& readings : of_round) kept["readings"].push_back(to_json(readings));
    std::erase_if(kept["skipped"].template get_ref<json::array_t&>(), [&](const json& entry) {
      return entry.value("process", 1) == settings_.process.number;
    });
    for (const auto& [device, reason] : refusals)
      kept["skipped"].push_back({{"process", settings_.process.number},
                                 {"device", device},
                                 {"reason", common::to_json(reason)}});
  });
}

void results::mark_slow_rounds() {
  rows_.revise([&](auto& facts, auto& rows) {
    const auto all = result_file::sentinels_in(facts);
    const auto slow = result_file::rounds_outside_limits(all);
    result_file::slow_round_marks marks(facts, slow);
    for (auto& row : rows) marks.apply(row);
    if (auto warning = result_file::warning_of(slow, result_file::count_judged(all)))
      outcome_.warnings.push_back(std::move(*warning));
  });
  std::map<std::pair<std::string, int>, std::set<result_file::disturbance>> marked;
  for (const auto& row : rows_.content().at("benchmarks"))
    if (row.contains("repetition_index"))
      marked[{row.value("run_name", ""), row.value("repetition_index", 0)}] = disturbances_of(row);
  for (auto& repetition : repetitions_)
    if (const auto entry = marked.find({repetition.reported.benchmark_name(),
                                        static_cast<int>(repetition.reported.repetition_index)});
        entry != marked.end())
      repetition.disturbed = entry->second;
}

void results::fail(measured_case& failed, int round) {
  const auto& name = failed.planned->name;
  failed.finished = true;
  outcome_.failures.push_back({name, *failed.error});
  rows_.add(of_process(row_of_failure(name, settings_.rounds, round, *failed.error)));
}

void results::skip(measured_case& impossible, common::message reason) {
  impossible.finished = impossible.impossible = true;
  outcome_.skipped.push_back({impossible.planned->name, std::move(reason)});
}

outcome results::conclude(std::span<const measured_case> cases) {
  mark_slow_rounds();
  const auto least = least_degrees(repetitions_, cases);
  auto spoilt = spoilt_before(cases, least, settings_.due_rounds());
  count(repetitions_, least, spoilt, outcome_);
  outcome_.disturbances = counts_in(rows_.content().at("benchmarks"));
  if (!settings_.process.is_last()) spoilt.clear();  // the processes to come measure them, too
  for (const auto& measured : cases) {
    const auto entry = spoilt.find(measured.planned->name);
    if (entry == spoilt.end() || measured.error) continue;
    const auto& name = entry->first;
    const auto codes = codes_of(entry->second);
    const common::message error{
        "disturbed",
        {{"by", codes}},
        fmt::format("every repetition was disturbed: {}", fmt::join(codes, ", "))};
    outcome_.failures.push_back({name, error});
    auto row = of_process(row_of_failure(name, settings_.rounds, 0, error));
    row["disturbed"] = codes;
    rows_.replace(name, std::move(row));
  }
  return std::move(outcome_);
}

}  // namespace bench_transfers::bench
