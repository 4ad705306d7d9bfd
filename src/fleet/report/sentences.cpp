#include "src/fleet/report/sentences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "src/common/format.hpp"
#include "src/common/timestamp.hpp"
#include "src/fleet/judge/limits.hpp"
#include "src/fleet/report/words.hpp"

namespace bench_transfers::fleet {
namespace {

constexpr std::size_t most_shown = 20;

std::string place_of(const gpu& gpu) {
  return fmt::format("{}{}{}{}", gpu.node, gpu.rack.empty() ? "" : " in rack ", gpu.rack,
                     gpu.slot.empty() ? "" : ", slot " + gpu.slot);
}

std::string link_text(const std::optional<int>& generation, const std::optional<int>& width) {
  const auto shown = [](const std::optional<int>& value) {
    return value ? fmt::format("{}", *value) : std::string("?");
  };
  return fmt::format("Gen{} x{}", shown(generation), shown(width));
}

std::string link_text(const link& link) {
  auto now = link_text(link.generation, link.width);
  if (!link.generation_max && !link.width_max) return now;
  return fmt::format("{} (it can be {})", now, link_text(link.generation_max, link.width_max));
}

/// Behind "slower".
std::string reference_text(const finding& found) {
  switch (found.reference) {
    case reference::baseline:
      return found.pattern == pattern::slower_than_before ? " than in the baseline"
                                                          : " than its model in the baseline";
    case reference::link_limit:
    case reference::peers: break;
  }
  return "";
}

std::string reached_text(const finding& found) {
  return fmt::format("copies reach {:.0f} % of what the link can carry",
                     100 * found.part_of_link.value_or(0));
}

std::string since_text(const onset& since) {
  return fmt::format("since {}{}{}", since.sweep.empty() ? "a sweep" : "sweep " + since.sweep,
                     since.begin ? " of " + common::timestamp_text(*since.begin) : "",
                     since.is_first_known ? " or before" : "");
}

/// The slowest benchmarks, if single ones are slow.
std::string benchmarks_text(const sweep& sweep, const finding& found) {
  constexpr std::size_t most = 3;
  std::vector<std::string> names;
  for (const auto& slow : found.aspects)
    if (names.size() < most) names.push_back(sweep.benchmarks[*slow.benchmark].name);
  const auto more = found.aspects.size() - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string absent_text(const judgement& judged) {
  const auto& nodes = judged.absent_nodes;
  const auto shown = std::min(nodes.size(), most_shown);
  const auto end = std::next(nodes.begin(), static_cast<std::ptrdiff_t>(shown));
  return fmt::format(": {}{}", fmt::join(nodes.begin(), end, ", "),
                     nodes.size() > shown ? fmt::format(" and {} more", nodes.size() - shown) : "");
}

std::string counted_gpus(std::size_t count) {
  return common::counted(static_cast<double>(count), "GPU", "GPUs");
}

}  // namespace

std::string size_text(const sweep& sweep) {
  std::set<std::string> nodes;
  for (const auto& gpu : sweep.gpus) nodes.insert(gpu.node);
  return fmt::format("{} on {}{}", counted_gpus(sweep.gpus.size()),
                     common::counted(static_cast<double>(nodes.size()), "node", "nodes"),
                     sweep.id.empty() ? "" : ", sweep " + sweep.id);
}

std::string subject_of(const sweep& sweep, const finding& found) {
  const auto& gpu = sweep.gpus[found.gpu];
  switch (found.scope) {
    case scope::gpu: return fmt::format("GPU {} ({})", gpu.uuid, place_of(gpu));
    case scope::node:
      return fmt::format("node {}{}", gpu.node, gpu.rack.empty() ? "" : " in rack " + gpu.rack);
    case scope::rack: return "rack " + gpu.rack;
    case scope::fleet: break;
  }
  return "all GPUs of model " + gpu.model;
}

std::string slower_text(const slow_aspect& slow, const finding& found) {
  if (found.reference == reference::link_limit) return reached_text(found);
  const auto& [value, low, high] = slow.slower;
  return fmt::format(
      "{}{}{}", common::percent_text(value),
      low < high ? fmt::format(" [{}, {}]", common::percent_text(low), common::percent_text(high))
                 : "",
      reference_text(found));
}

std::string where_text(const sweep& sweep, const finding& found) {
  std::vector<std::string> parts;
  if (const auto* worst = found.worst())
    parts.push_back(worst->benchmark ? benchmarks_text(sweep, found) : describe(worst->aspect));
  if (found.pattern == pattern::link_generation || found.pattern == pattern::link_width)
    parts.push_back(fmt::format("its link is {}", link_text(sweep.gpus[found.gpu].link)));
  if (found.pattern == pattern::wrong_data)
    parts.push_back(
        fmt::format("wrong data in {}", fmt::join(sweep.gpus[found.gpu].wrong_data, ", ")));
  if (found.part_of_link && found.reference != reference::link_limit)
    parts.push_back(reached_text(found));
  if (found.since) parts.push_back(since_text(*found.since));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string sentence_of(const sweep& sweep, const finding& found) {
  const auto* worst = found.worst();
  const auto* by = found.reference == reference::link_limit ? "" : "slower by ";
  return fmt::format("{}: {}{} [{}]", subject_of(sweep, found),
                     worst ? fmt::format("{}{} in ", by, slower_text(*worst, found)) : "",
                     where_text(sweep, found), to_string(found.pattern));
}

std::vector<std::string> missing_sentences(const std::vector<missing_rank>& missing) {
  std::map<std::string, std::vector<std::size_t>> by_node;
  for (const auto& rank : missing) by_node[rank.node].push_back(rank.rank);
  std::vector<std::string> list;
  for (const auto& [node, ranks] : by_node) {
    const auto shown = std::min(ranks.size(), most_shown);
    list.push_back(fmt::format(
        "rank{} {}{} left no results{} [{}]", ranks.size() > 1 ? "s" : "",
        fmt::join(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        ranks.size() > shown ? fmt::format(" and {} more", ranks.size() - shown) : "",
        node.empty() ? "; the node is not known" : ", on node " + node, missing_code));
  }
  return list;
}

std::vector<std::string> absence_sentences(const judgement& judged) {
  auto list = missing_sentences(judged.missing);
  for (const auto& gone : judged.gone)
    list.push_back(fmt::format(
        "GPU {} ({}) was in the baseline and is not there any more{} [{}]", gone.uuid,
        place_of(gone), gone.rank ? fmt::format("; rank {} left no results", *gone.rank) : "",
        gone_code));
  return list;
}

std::vector<std::string> doubt_sentences(const judgement& judged) {
  std::vector<std::string> list;
  for (const auto& [doubt, gpus] : judged.doubts)
    list.push_back(fmt::format(
        "{}{}{} [{}]", gpus.empty() ? "" : counted_gpus(gpus.size()) + " ", explain(doubt),
        doubt == doubt::nodes_not_measured ? absent_text(judged) : "", to_string(doubt)));
  return list;
}

std::vector<std::string> problem_sentences(const sweep& sweep) {
  const auto& problems = sweep.problems;
  const auto shown = std::min(problems.size(), most_shown);
  std::vector<std::string> list;
  for (std::size_t i = 0; i < shown; ++i)
    list.push_back(fmt::format("{} [{}]", problems[i].text, problems[i].code));
  if (problems.size() > shown) list.push_back(fmt::format("and {} more", problems.size() - shown));
  return list;
}

}  // namespace bench_transfers::fleet
