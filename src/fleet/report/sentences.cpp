#include "src/fleet/report/sentences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/fleet/report/words.hpp"

namespace bench_transfers::fleet {
namespace {

constexpr std::size_t most_shown = 20;

std::string place_of(const gpu& gpu) { return place_text(gpu.node, gpu.rack, gpu.slot); }

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

/// Nothing if it is the first sweep of all.
std::string onset_text(const onset& since) {
  if (since.is_first_known && since.sweeps == 1) return "";
  return fmt::format("{}{}{} ({})", since.sweep.empty() ? "a sweep" : "sweep " + since.sweep,
                     since.begin ? " of " + common::timestamp_text(*since.begin) : "",
                     since.is_first_known ? " or before" : "",
                     common::counted(since.sweeps, "sweep"));
}

/// How often such a finding is chance. What a link can carry is no chance.
std::string certainty_text(const slow_aspect& slow, const finding& found) {
  constexpr double a_millionth = 1e-6;
  if (found.reference == reference::link_limit) return "";
  const auto chance = 1 - slow.confidence;
  if (chance <= a_millionth) return "less than one of a million findings like this is chance";
  return fmt::format("about one of {:.0f} findings like this is chance", 1 / chance);
}

/// The slowest benchmarks, if single ones are slow.
std::string benchmarks_text(const sweep& sweep, const finding& found) {
  constexpr std::size_t most = 3;
  std::vector<std::string> names;
  for (const auto& slow : found.aspects) names.push_back(sweep.benchmarks[*slow.benchmark].name);
  return common::listed(names, most);
}

/// In what it is slow, and what its link is.
std::string evidence_text(const sweep& sweep, const finding& found) {
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
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

std::string size_text(const sweep& sweep) {
  std::set<std::string> nodes;
  for (const auto& gpu : sweep.gpus) nodes.insert(gpu.node);
  const auto on_host = std::ranges::count(sweep.gpus, true, &gpu::on_host);
  const auto gpus = static_cast<std::ptrdiff_t>(sweep.gpus.size()) - on_host;
  std::vector<std::string> measured;
  if (gpus > 0 || on_host == 0) measured.push_back(common::counted(gpus, "GPU"));
  if (on_host > 0) measured.push_back(common::counted(on_host, "host device"));
  return fmt::format("{}{} on {}{}", on_host > 0 && gpus == 0 ? "no GPU was measured: " : "",
                     fmt::join(measured, " and "), common::counted(nodes.size(), "node"),
                     sweep.id.empty() ? "" : ", sweep " + sweep.id);
}

gpu part_of(const sweep& sweep, const finding& found) {
  auto part = sweep.gpus[found.gpu];
  if (found.scope > scope::gpu) part.uuid = part.slot = "";
  if (found.scope == scope::slot) part.slot = found.name;
  if (found.scope > scope::node) part.node = "";
  if (found.scope > scope::rack) part.rack = "";
  if (!model_of(sweep, found)) part.model = "";
  return part;
}

std::string subject_of(const sweep& sweep, const finding& found) {
  const auto& gpu = sweep.gpus[found.gpu];
  switch (found.scope) {
    case scope::gpu: return fmt::format("GPU {} ({})", gpu.uuid, place_of(gpu));
    case scope::node: return "node " + place_text(gpu.node, gpu.rack, "");
    case scope::rack: return "rack " + gpu.rack;
    case scope::slot:
      return fmt::format("slot {} of {}", found.name,
                         common::counted(nodes_of(sweep, found), "node"));
    case scope::fleet: break;
  }
  const auto* model = model_of(sweep, found);
  return model ? "all GPUs of model " + *model : "all GPUs";
}

std::string slower_text(const slow_aspect& slow, const finding& found) {
  if (found.reference == reference::link_limit) return reached_text(found);
  const auto& [value, low, high] = slow.slower;
  return (low < high ? common::slower_text(value, low, high) : common::slower_text(value)) +
         reference_text(found);
}

std::string slower_cell(const std::optional<double>& slower) {
  return slower ? fmt::format("{:+.2f} %", 100 * *slower) : "-";
}

std::string where_text(const sweep& sweep, const finding& found) {
  const auto evidence = evidence_text(sweep, found);
  const auto since = found.since ? onset_text(*found.since) : "";
  if (since.empty()) return evidence;
  return fmt::format("{}{}since {}", evidence, evidence.empty() ? "" : "; ", since);
}

std::string summary_of(const finding& found) {
  const auto* worst = found.worst();
  const auto how_much = !worst ? std::string()
                        : found.reference == reference::link_limit
                            ? ", " + reached_text(found)
                            : ", slower by " + common::slower_text(worst->slower.value);
  return fmt::format("{} {}: {}{}", noun_of(found.scope), found.name, to_string(found.pattern),
                     how_much);
}

std::vector<std::string> lines_of(const sweep& sweep, const finding& found) {
  std::vector<std::string> lines{fmt::format("who: {}", subject_of(sweep, found)),
                                 fmt::format("what: {}", to_string(found.pattern))};
  const auto add = [&](const char* title, const std::string& text) {
    if (!text.empty()) lines.push_back(fmt::format("{}: {}", title, text));
  };
  add("where", evidence_text(sweep, found));
  if (const auto* worst = found.worst()) {
    add("slower by", found.reference == reference::link_limit ? "" : slower_text(*worst, found));
    add("how sure", certainty_text(*worst, found));
  }
  if (found.since) add("since", onset_text(*found.since));
  for (const auto advice : found.what_to_do) add("what to do", explain(advice));
  return lines;
}

std::string sentence_of(const sweep& sweep, const finding& found) {
  const auto* worst = found.worst();
  const auto* by = found.reference == reference::link_limit ? "" : "slower by ";
  return fmt::format("{}: {}{} [{}]", subject_of(sweep, found),
                     worst ? fmt::format("{}{} in ", by, slower_text(*worst, found)) : "",
                     where_text(sweep, found), to_string(found.pattern));
}

std::vector<std::string> missing_sentences(const std::vector<missing_rank>& missing) {
  struct of_node {
    std::vector<std::string> ranks, gpus;
  };
  std::map<std::string, of_node> by_node;
  for (const auto& [rank, node, uuid, slot] : missing) {
    by_node[node].ranks.push_back(fmt::format("{}", rank));
    if (!uuid.empty())
      by_node[node].gpus.push_back(
          fmt::format("{}{}", uuid, slot.empty() ? "" : fmt::format(" (slot {})", slot)));
  }
  std::vector<std::string> list;
  for (const auto& [node, lost] : by_node)
    list.push_back(fmt::format(
        "rank{} {} left no results{}{} [{}]", lost.ranks.size() > 1 ? "s" : "",
        common::listed(lost.ranks, most_shown),
        node.empty() ? "; the node is not known" : ", on node " + node,
        lost.gpus.empty() ? ""
                          : ", where earlier sweeps have " + common::listed(lost.gpus, most_shown),
        missing_code));
  return list;
}

std::vector<std::string> gone_sentences(const std::vector<gpu>& all) {
  std::vector<std::string> list;
  for (const auto& gone : all)
    list.push_back(fmt::format(
        "GPU {} ({}) was in the baseline and is not there any more{} [{}]", gone.uuid,
        place_of(gone), gone.rank ? fmt::format("; rank {} left no results", *gone.rank) : "",
        gone_code));
  return list;
}

std::vector<std::string> absence_sentences(const judgement& judged) {
  auto list = missing_sentences(judged.missing);
  std::ranges::move(gone_sentences(judged.gone), std::back_inserter(list));
  return list;
}

}  // namespace bench_transfers::fleet
