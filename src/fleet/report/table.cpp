#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "src/common/text.hpp"
#include "src/exports/text.hpp"
#include "src/fleet/report/reports.hpp"
#include "src/fleet/report/sections.hpp"
#include "src/fleet/report/sentences.hpp"

namespace bench_transfers::fleet {
namespace {

/// A column of figures: an aspect of the link, or the slowest aspect of another class.
struct figures {
  std::string title;
  std::vector<std::optional<double>> slower;  ///< by GPU
};

void keep_slowest(std::vector<std::optional<double>>& kept,
                  const std::vector<std::optional<double>>& more) {
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (more[i] && (!kept[i] || *more[i] > *kept[i])) kept[i] = more[i];
}

std::vector<figures> columns_of(const judgement& judged) {
  std::vector<figures> columns;
  std::map<benchmark_class, figures> others;
  for (const auto& scores : judged.scores) {
    const auto& aspect = scores.aspect;
    if (aspect.kind == benchmark_class::link) {
      columns.push_back(
          {to_string(aspect.towards) + (aspect.together ? "*" : ""), scores.beside_peers});
      continue;
    }
    auto& other = others[aspect.kind];
    other.title = to_string(aspect.kind);
    other.slower.resize(scores.beside_peers.size());
    keep_slowest(other.slower, scores.beside_peers);
  }
  for (auto& [kind, other] : others) columns.push_back(std::move(other));
  return columns;
}

/// How many letters tell the UUIDs apart.
std::size_t letters_of(const sweep& sweep) {
  constexpr std::size_t least = 12;
  std::vector<std::string> uuids;
  for (const auto& gpu : sweep.gpus) uuids.push_back(gpu.uuid);
  std::ranges::sort(uuids);
  auto letters = least;
  for (std::size_t i = 1; i < uuids.size(); ++i) {
    const auto differ = std::ranges::mismatch(uuids[i - 1], uuids[i]).in1 - uuids[i - 1].begin();
    letters = std::max(letters, static_cast<std::size_t>(differ) + 1);
  }
  return letters;
}

std::vector<std::size_t> order_of(const std::vector<figures>& columns, std::size_t gpus,
                                  std::optional<std::size_t> slowest) {
  std::vector<std::size_t> order(gpus);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!slowest) return order;
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t gpu) {
    double most = -1;
    for (const auto& column : columns)
      if (column.title != to_string(benchmark_class::host) &&
          column.title != to_string(benchmark_class::latency))
        most = std::max(most, column.slower[gpu].value_or(-1));
    return most;
  });
  order.resize(std::min(order.size(), *slowest));
  return order;
}

std::set<std::size_t> named_gpus(const judgement& judged) {
  std::set<std::size_t> named;
  for (const auto& found : judged.findings) named.insert(found.gpus.begin(), found.gpus.end());
  return named;
}

}  // namespace

std::string table_of(const sweep& sweep, const judgement& judged,
                     std::optional<std::size_t> slowest) {
  const bool has_racks =
      std::ranges::any_of(sweep.gpus, [](const gpu& gpu) { return !gpu.rack.empty(); });
  const auto all_figures = columns_of(judged);
  exports::table table{"", {{"GPU"}, {"node"}}};
  if (has_racks) table.columns.push_back({"rack"});
  for (const auto& figures : all_figures)
    table.columns.push_back({figures.title, exports::cells::numbers});
  table.columns.push_back({""});
  const auto letters = letters_of(sweep);
  const auto named = named_gpus(judged);
  for (const auto index : order_of(all_figures, sweep.gpus.size(), slowest)) {
    const auto& gpu = sweep.gpus[index];
    auto& cells =
        table.rows.emplace_back(exports::row{{common::first_letters(gpu.uuid, letters), gpu.node}})
            .cells;
    if (has_racks) cells.push_back(gpu.rack.empty() ? "-" : gpu.rack);
    for (const auto& figures : all_figures) cells.push_back(slower_cell(figures.slower[index]));
    cells.emplace_back(named.contains(index) ? "named" : "");
  }
  auto text = exports::text_of(table);
  text +=
      "Each figure: how much longer the GPU takes than healthy GPUs of its model; of what is "
      "named, "
      "the\nfinding's. -: not measured, or nothing to compare it with. h2d, d2h, both: copies by "
      "the link;\n*: while all GPUs of the node copy. host, latency: the slowest direction.\n";
  for (const auto& sentence : missing_sentences(judged.missing))
    text += fmt::format("  {}\n", sentence);
  return text + exports::text_of(in_parts_section(sweep)) +
         exports::text_of(problem_section(problems_of(sweep, judged)));
}

}  // namespace bench_transfers::fleet
