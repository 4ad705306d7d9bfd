#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "src/common/format.hpp"
#include "src/fleet/judge/peers.hpp"
#include "src/fleet/judge/scores.hpp"
#include "src/fleet/report/reports.hpp"
#include "src/fleet/report/words.hpp"

namespace bench_transfers::fleet {
namespace {

constexpr std::size_t most_shown = 20;

std::string noun_of(scope scope) { return scope == scope::gpu ? "GPU" : to_string(scope); }

std::string place_of(const gpu& gpu) {
  return fmt::format("{}{}{}{}", gpu.node, gpu.rack.empty() ? "" : " in rack ", gpu.rack,
                     gpu.slot.empty() ? "" : ", slot " + gpu.slot);
}

std::string subject_of(const sweep& sweep, const finding& found) {
  const auto& gpu = sweep.gpus[found.gpu];
  switch (found.scope) {
    case scope::gpu: return fmt::format("GPU {} ({})", gpu.uuid, place_of(gpu));
    case scope::node:
      return fmt::format("node {}{}", gpu.node, gpu.rack.empty() ? "" : " in rack " + gpu.rack);
    case scope::rack: break;
  }
  return "rack " + gpu.rack;
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

/// What to look at first.
const char* advice_of(pattern pattern) {
  switch (pattern) {
    case pattern::link_generation:
    case pattern::link_width:
      return "Reseat the card and its riser, then look at the slot's setting.";
    case pattern::slow_together:
      return "Look at what the node's GPUs share: `bench_transfers map` names the link.";
    case pattern::slow_one_direction:
      return "Look at ACS, IOMMU and the payload size of this slot against those of a healthy one.";
    case pattern::slow_some:
      return "Look for what only these benchmarks use: sizes, kinds of memory, a way to copy.";
    case pattern::intermittent:
      return "Measure it again: look for heat, clocks and other users at the time of the slow "
             "runs.";
    case pattern::wrong_data: return "Take it out of use, and look at its memory and link errors.";
    case pattern::slow: break;
  }
  return "Compare link, NUMA binding, clocks and neighbours with those of a healthy one.";
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

std::string line_of(const sweep& sweep, const finding& found) {
  std::string text = "  " + subject_of(sweep, found);
  if (const auto* worst = found.worst())
    text += fmt::format(": {} slower [{}, {}] in {}", common::percent_text(worst->slower.value),
                        common::percent_text(worst->slower.low),
                        common::percent_text(worst->slower.high),
                        worst->benchmark ? benchmarks_text(sweep, found) : describe(worst->aspect));
  if (found.pattern == pattern::link_generation || found.pattern == pattern::link_width)
    text += fmt::format("; its link is {}", link_text(sweep.gpus[found.gpu].link));
  if (found.pattern == pattern::wrong_data)
    text += fmt::format(": wrong data in {}", fmt::join(sweep.gpus[found.gpu].wrong_data, ", "));
  return fmt::format("{} [{}]\n    {}\n", text, to_string(found.pattern), advice_of(found.pattern));
}

std::string missing_text(const std::vector<missing_rank>& missing) {
  std::map<std::string, std::vector<std::size_t>> by_node;
  for (const auto& rank : missing) by_node[rank.node].push_back(rank.rank);
  std::string text;
  for (const auto& [node, ranks] : by_node) {
    const auto shown = std::min(ranks.size(), most_shown);
    text += fmt::format(
        "  rank{} {}{} left no results{} [{}]\n", ranks.size() > 1 ? "s" : "",
        fmt::join(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        ranks.size() > shown ? fmt::format(" and {} more", ranks.size() - shown) : "",
        node.empty() ? "; the node is not known" : ", on node " + node, missing_code);
  }
  return text;
}

std::string problems_text(const std::vector<common::message>& problems) {
  std::string text;
  const auto shown = std::min(problems.size(), most_shown);
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("  {} [{}]\n", problems[i].text, problems[i].code);
  if (problems.size() > shown) text += fmt::format("  and {} more\n", problems.size() - shown);
  return text;
}

std::string doubts_text(const judgement& judged) {
  std::string text;
  for (const auto& [doubt, gpus] : judged.doubts)
    text += fmt::format(
        "  {}{} [{}]\n",
        gpus.empty() ? std::string()
                     : common::counted(static_cast<double>(gpus.size()), "GPU", "GPUs") + " ",
        explain(doubt), to_string(doubt));
  return text.empty() ? text : "Not known:\n" + text;
}

/// What would have been found, for each scope of a class the largest of its aspects.
std::string tested_text(const judgement& judged) {
  std::map<std::pair<benchmark_class, scope>, double> detectable;
  for (const auto& tested : judged.tested) {
    auto& most = detectable[{tested.aspect.kind, tested.parts.scope}];
    most = std::max(most, tested.detectable);
  }
  std::string text;
  for (const auto kind : result_file::all_classes) {
    std::vector<std::string> parts;
    for (const auto scope : every_scope)
      if (const auto found = detectable.find({kind, scope}); found != detectable.end())
        parts.push_back(
            fmt::format("a {} slower by {}", noun_of(scope), common::percent_text(found->second)));
    if (!parts.empty()) text += fmt::format("  {}: {}\n", to_string(kind), fmt::join(parts, ", "));
  }
  return text.empty() ? text : "A part slower by this is found four times out of five:\n" + text;
}

}  // namespace

std::string text_of(const sweep& sweep, const judgement& judged) {
  std::set<std::string> nodes;
  for (const auto& gpu : sweep.gpus) nodes.insert(gpu.node);
  auto text = fmt::format("{}: {} on {}{}\n", to_string(judged.verdict),
                          common::counted(static_cast<double>(sweep.gpus.size()), "GPU", "GPUs"),
                          common::counted(static_cast<double>(nodes.size()), "node", "nodes"),
                          sweep.id.empty() ? "" : ", sweep " + sweep.id);
  for (const auto& found : judged.findings) text += line_of(sweep, found);
  text += missing_text(judged.missing);
  text += doubts_text(judged);
  if (!sweep.problems.empty()) text += "Problems:\n" + problems_text(sweep.problems);
  return text + tested_text(judged);
}

std::string table_of(const sweep& sweep) {
  std::string text = fmt::format("{:<44} {:<16} {:<12} {:>10} {:>10}\n", "GPU", "node", "rack",
                                 "link h2d", "link d2h");
  for (const auto& alike : peers_of(sweep)) {
    const auto h2d = scores_of(
        sweep, benchmarks_of(sweep, {benchmark_class::link, direction::h2d, false}), alike.gpus);
    const auto d2h = scores_of(
        sweep, benchmarks_of(sweep, {benchmark_class::link, direction::d2h, false}), alike.gpus);
    const auto cell = [](const std::optional<score>& score) {
      return score ? fmt::format("{:+.2f} %", 100 * std::expm1(score->usual)) : std::string("-");
    };
    for (std::size_t i = 0; i < alike.gpus.size(); ++i) {
      const auto& gpu = sweep.gpus[alike.gpus[i]];
      text += fmt::format("{:<44} {:<16} {:<12} {:>10} {:>10}\n", gpu.uuid, gpu.node,
                          gpu.rack.empty() ? "-" : gpu.rack, cell(h2d[i]), cell(d2h[i]));
    }
  }
  text += "Slower than the median of its model, in time.\n";
  text += missing_text(missing_ranks(sweep));
  return sweep.problems.empty() ? text : text + "Problems:\n" + problems_text(sweep.problems);
}

}  // namespace bench_transfers::fleet
