#include "src/exports/junit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "src/fleet/report/reports.hpp"
#include "src/fleet/report/sentences.hpp"
#include "src/fleet/report/words.hpp"

namespace bench_transfers::fleet {
namespace {

using exports::test_case;
using exports::test_outcome;

/// What a test case says, of one finding, doubt or problem.
struct entry {
  test_outcome outcome;
  std::string type, summary;
  std::vector<std::string> lines;
};

/// The entries as one test case; failures say more than what is not known, and come first.
test_case case_of(const char* class_name, const std::string& name, std::vector<entry> entries) {
  test_case test{class_name, name};
  if (entries.empty()) return test;
  // Clang 15 and older do not compile std::ranges::subrange of the GNU library, which
  // std::ranges::stable_partition returns.
  std::stable_partition(entries.begin(), entries.end(),
                        [](const entry& entry) { return entry.outcome == test_outcome::failure; });
  const auto& first = entries.front();
  test.outcome = first.outcome;
  test.type = first.type;
  test.message = first.summary;
  if (entries.size() > 1) test.message += fmt::format("; and {} more", entries.size() - 1);
  for (const auto& entry : entries)
    test.lines +=
        fmt::format("{}{}\n", test.lines.empty() ? "" : "\n", fmt::join(entry.lines, "\n"));
  return test;
}

entry entry_of(const sweep& sweep, const finding& found, test_outcome outcome) {
  return {outcome, to_string(found.pattern), summary_of(found), lines_of(sweep, found)};
}

entry not_known(const std::string& type, const std::string& sentence) {
  return {test_outcome::error, type, sentence, {sentence}};
}

/// By node: a fleet has too many GPUs for a viewer of tests.
std::map<std::string, std::vector<entry>> entries_of_nodes(const sweep& sweep,
                                                           const judgement& judged) {
  std::map<std::string, std::vector<entry>> nodes;
  for (const auto& gpu : sweep.gpus) nodes[gpu.node];
  const auto add = [&](const std::vector<finding>& list, test_outcome outcome) {
    for (const auto& found : list)
      if (found.scope <= scope::node)
        nodes[sweep.gpus[found.gpu].node].push_back(entry_of(sweep, found, outcome));
  };
  add(judged.findings, test_outcome::failure);
  add(judged.not_named, test_outcome::error);
  for (const auto& [doubt, gpus] : judged.doubts)
    for (const auto gpu : gpus)
      nodes[sweep.gpus[gpu].node].push_back(not_known(
          to_string(doubt), fmt::format("GPU {} {}", sweep.gpus[gpu].uuid, explain(doubt, 1))));
  for (const auto& problem : problems_of(sweep, judged))
    if (const auto known = nodes.find(common::text_in(problem.data, "node")); known != nodes.end())
      known->second.push_back(not_known(problem.code, problem.text));
  return nodes;
}

}  // namespace

std::string junit_of(const sweep& sweep, const judgement& judged, std::chrono::sys_seconds now) {
  exports::junit_suite tests("fleet_transfers", "fleet_transfers", now);
  tests.add_property("verdict", to_string(judged.verdict));
  tests.add_property("fleet", size_text(sweep));
  const auto nodes = entries_of_nodes(sweep, judged);
  for (const auto& [node, entries] : nodes)
    tests.add(case_of("fleet_transfers.nodes", node, entries));
  const auto add_parts = [&](const std::vector<finding>& list, test_outcome outcome) {
    for (const auto& found : list)
      if (found.scope > scope::node)
        tests.add(case_of("fleet_transfers.parts", found.name, {entry_of(sweep, found, outcome)}));
  };
  add_parts(judged.findings, test_outcome::failure);
  add_parts(judged.not_named, test_outcome::error);
  for (const auto& sentence : absence_sentences(judged))
    tests.add({"fleet_transfers.missing", sentence, test_outcome::failure, missing_code, sentence});
  for (const auto& [doubt, gpus] : judged.doubts)
    if (gpus.empty())
      tests.add({"fleet_transfers.not_known", to_string(doubt), test_outcome::error,
                 to_string(doubt), explain(doubt, 0)});
  for (const auto& problem : problems_of(sweep, judged))
    if (!nodes.contains(common::text_in(problem.data, "node")))
      tests.add({"fleet_transfers.problems", problem.text, test_outcome::error, problem.code,
                 problem.text});
  return tests.text(text_of(sweep, judged));
}

}  // namespace bench_transfers::fleet
