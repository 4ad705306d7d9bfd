#include "src/fleet/report/sections.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/fleet/report/sentences.hpp"
#include "src/fleet/report/words.hpp"

namespace bench_transfers::fleet {
namespace {

constexpr std::size_t most_sentences = 20;
/// Of more problems of one kind, the first and their number.
constexpr std::size_t most_of_a_kind = 3;

/// Which ones, behind a doubt; nothing if it is about the whole sweep.
std::string names_text(const sweep& sweep, const judgement& judged, doubt doubt,
                       const std::set<std::size_t>& gpus) {
  constexpr std::size_t most = 3;
  if (doubt == doubt::nodes_not_measured)
    return ": " +
           common::listed({judged.absent_nodes.begin(), judged.absent_nodes.end()}, most_sentences);
  if (gpus.empty() || gpus.size() == sweep.gpus.size()) return "";
  std::vector<std::string> names;
  for (const auto gpu : gpus)
    names.push_back(fmt::format("{} ({})", sweep.gpus[gpu].uuid, sweep.gpus[gpu].node));
  return ": " + common::listed(names, most);
}

std::vector<std::string> first_of(std::vector<std::string> sentences) {
  if (sentences.size() <= most_sentences) return sentences;
  const auto more = sentences.size() - most_sentences;
  sentences.resize(most_sentences);
  sentences.push_back(fmt::format("and {} more", more));
  return sentences;
}

}  // namespace

exports::section in_parts_section(const sweep& sweep) {
  std::vector<std::string> list;
  for (const auto& gpu : sweep.gpus)
    if (const auto in_parts = common::in_parts_text(gpu.parts))
      list.push_back(fmt::format("GPU {} ({}) was {} [{}]", gpu.uuid,
                                 place_text(gpu.node, gpu.rack, gpu.slot), *in_parts,
                                 in_parts_code));
  return {"Not measured at one time", first_of(std::move(list))};
}

exports::section problem_section(const std::vector<common::message>& problems) {
  std::map<std::string, std::vector<const common::message*>> kinds;
  for (const auto& problem : problems) kinds[problem.code].push_back(&problem);
  std::vector<std::string> list;
  for (const auto& problem : problems) {
    const auto& of_kind = kinds.at(problem.code);
    if (of_kind.size() <= most_of_a_kind)
      list.push_back(fmt::format("{} [{}]", problem.text, problem.code));
    else if (&problem == of_kind.front())
      list.push_back(fmt::format("{}; and {} more problems of this kind [{}]", problem.text,
                                 of_kind.size() - 1, problem.code));
  }
  return {"Problems", first_of(std::move(list))};
}

std::vector<exports::section> sections_of(const sweep& sweep, const judgement& judged) {
  exports::section not_named{"Slow host devices, which are not named"}, absent{"Absent"},
      doubts{"Not known"};
  for (const auto& found : judged.not_named)
    not_named.sentences.push_back(sentence_of(sweep, found));
  for (const auto& [doubt, gpus] : judged.doubts)
    doubts.sentences.push_back(fmt::format(
        "{}{}{} [{}]", gpus.empty() ? "" : common::counted(gpus.size(), "GPU") + " ",
        explain(doubt, gpus.size()), names_text(sweep, judged, doubt, gpus), to_string(doubt)));
  if (const auto& nodes = judged.declared_absent; !nodes.empty())
    absent.sentences.push_back(
        fmt::format("{} of the baseline, as declared: {}", common::counted(nodes.size(), "node"),
                    common::listed({nodes.begin(), nodes.end()}, most_sentences)));
  return {not_named, in_parts_section(sweep), absent, doubts,
          problem_section(problems_of(sweep, judged))};
}

}  // namespace bench_transfers::fleet
