#include "src/exports/junit.hpp"

#include <map>

#include "src/fleet/report/reports.hpp"
#include "src/fleet/report/sentences.hpp"
#include "src/fleet/report/words.hpp"

namespace bench_transfers::fleet {
namespace {

using exports::test_case;
using exports::test_outcome;

/// A test case for each node: a fleet has too many GPUs for a viewer of tests.
std::map<std::string, test_case> cases_of_nodes(const sweep& sweep) {
  std::map<std::string, test_case> cases;
  for (const auto& gpu : sweep.gpus)
    cases.try_emplace(gpu.node, test_case{"fleet_transfers.nodes", gpu.node});
  return cases;
}

void add(test_case& test, test_outcome outcome, const std::string& type,
         const std::string& sentence) {
  // A failure says more than what is not known.
  if (test.outcome == test_outcome::failure && outcome != test_outcome::failure) return;
  if (test.outcome != outcome) test.message.clear();
  test.outcome = outcome;
  test.type = type;
  test.message += (test.message.empty() ? "" : "; ") + sentence;
}

}  // namespace

std::string junit_of(const sweep& sweep, const judgement& judged, std::chrono::sys_seconds now) {
  exports::junit_suite tests("fleet_transfers", "fleet_transfers", now);
  tests.add_property("verdict", to_string(judged.verdict));
  tests.add_property("fleet", size_text(sweep));
  auto nodes = cases_of_nodes(sweep);
  std::vector<test_case> others;
  for (const auto& found : judged.findings) {
    const auto type = to_string(found.pattern);
    const auto sentence = sentence_of(sweep, found);
    if (found.scope <= scope::node)
      add(nodes.at(sweep.gpus[found.gpu].node), test_outcome::failure, type, sentence);
    else
      others.push_back(
          {"fleet_transfers.parts", found.name, test_outcome::failure, type, sentence});
  }
  for (const auto& doubtful : judged.doubts)
    for (const auto gpu : doubtful.second)
      add(nodes.at(sweep.gpus[gpu].node), test_outcome::error, to_string(doubtful.first),
          sweep.gpus[gpu].uuid + ", one of the GPUs " + explain(doubtful.first));
  for (const auto& [node, test] : nodes) tests.add(test);
  for (const auto& test : others) tests.add(test);
  for (const auto& sentence : absence_sentences(judged))
    tests.add({"fleet_transfers.missing", sentence, test_outcome::failure, missing_code, sentence});
  for (const auto& [doubt, gpus] : judged.doubts)
    if (gpus.empty())
      tests.add({"fleet_transfers.not_known", to_string(doubt), test_outcome::error,
                 to_string(doubt), explain(doubt)});
  for (const auto& problem : sweep.problems)
    tests.add({"fleet_transfers.problems", problem.text, test_outcome::error, problem.code,
               problem.text});
  return tests.text(text_of(sweep, judged));
}

}  // namespace bench_transfers::fleet
