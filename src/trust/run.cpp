#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "src/common/text.hpp"
#include "src/trust/examination.hpp"

namespace bench_transfers::trust {
namespace {

using result_file::member;
using result_file::text_at;

void completeness(examination& asked) {
  if (asked.read.complete) return;
  const auto signal = text_at(asked.facts, {"run", "interrupted_by"});
  const auto rounds = count_at<std::size_t>(asked.facts, {"run", "rounds"}).value_or(0);
  const bool has_transfers = std::ranges::any_of(asked.benchmarks, is_transfer);
  std::set<std::size_t> counts;
  for (const auto& benchmark : asked.benchmarks)
    if (!has_transfers || is_transfer(benchmark)) counts.insert(benchmark.times_ns.size());
  auto text = fmt::format("The run did not end by itself{}: ",
                          signal.empty() ? "" : fmt::format(" ({})", signal));
  if (counts.empty() || rounds < *counts.rbegin())
    text += "part of it is missing.";
  else
    text +=
        fmt::format("its {} have {} of {} repetitions, and some may be missing.",
                    has_transfers ? "transfers" : "benchmarks",
                    counts.size() == 1 ? std::to_string(*counts.begin())
                                       : fmt::format("{} to {}", *counts.begin(), *counts.rbegin()),
                    rounds);
  asked.warn("incomplete", text, {{"interrupted_by", signal}, {"rounds", rounds}});
}

void parts(examination& asked) {
  if (asked.read.parts > 1)
    asked.warn(
        "several_parts",
        fmt::format("It was measured in {} parts, one after another: a figure may be of several.",
                    asked.read.parts),
        {{"parts", asked.read.parts}});
}

void faults(examination& asked) {
  const auto names = faults_in(asked.read);
  asked.covers("faults_injected");
  if (names.empty()) return;
  asked.warn("faults_injected",
             fmt::format("Faults were injected on purpose ({}): use no number of this run. No "
                         "conclusions are drawn from it here.",
                         fmt::join(names, ", ")),
             {{"faults", names}});
}

void failures(examination& asked) {
  std::map<std::string, std::string> failed;
  for (const auto& row : asked.read.rows)
    if (row.failed) failed.try_emplace(row.benchmark->name, row.failed->message);
  if (failed.empty()) return;
  auto [name, reason] = *failed.begin();
  while (reason.ends_with('.')) reason.pop_back();
  asked.warn(
      "failed_benchmarks",
      fmt::format("{} failed{} {} ({}).",
                  common::counted(static_cast<double>(failed.size()), "benchmark", "benchmarks"),
                  failed.size() > 1 ? ", for example" : ":", name,
                  reason.empty() ? "no reason given" : reason),
      {{"count", failed.size()}, {"first", name}});
}

void program(examination& asked) {
  const auto build = text_at(asked.facts, {"program", "build_type"});
  const auto commit = text_at(asked.facts, {"program", "git_commit"});
  if (!build.empty() && build != "Release")
    asked.warn("slow_build",
               fmt::format("The program was built as {}: it is slower than Release.", build),
               {{"build_type", build}});
  else if (commit.ends_with("-dirty"))
    asked.say("uncommitted_changes",
              fmt::format("The program had changes that are in no commit ({}): the run cannot be "
                          "repeated exactly.",
                          commit),
              {{"commit", commit}});
}

const registration of_run{subject::run, {completeness, parts, faults, failures, program}};

}  // namespace
}  // namespace bench_transfers::trust
