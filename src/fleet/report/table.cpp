#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "src/common/wrapped.hpp"
#include "src/fleet/report/columns.hpp"
#include "src/fleet/report/reports.hpp"
#include "src/fleet/report/sentences.hpp"
#include "src/fleet/report/words.hpp"

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

/// The first bytes of a name, without a part of a character (UTF-8) at their end.
std::string beginning_of(const std::string& name, std::size_t bytes) {
  if (name.size() <= bytes) return name;
  constexpr unsigned char of_continuation = 0xC0;
  constexpr unsigned char continuation = 0x80;
  while (bytes > 0 && (static_cast<unsigned char>(name[bytes]) & of_continuation) == continuation)
    --bytes;
  return name.substr(0, bytes);
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

std::vector<text_column> places_of(const sweep& sweep) {
  std::vector<std::string> uuids, nodes, racks;
  const auto letters = letters_of(sweep);
  for (const auto& gpu : sweep.gpus) {
    uuids.push_back(beginning_of(gpu.uuid, letters));
    nodes.push_back(gpu.node);
    racks.push_back(gpu.rack.empty() ? "-" : gpu.rack);
  }
  std::vector<text_column> columns{{"GPU", std::move(uuids)}, {"node", std::move(nodes)}};
  if (std::ranges::any_of(racks, [](const std::string& rack) { return rack != "-"; }))
    columns.push_back({"rack", std::move(racks)});
  return columns;
}

text_column numbers_of(const figures& figures) {
  text_column column{figures.title, {}, true};
  for (const auto& slower : figures.slower)
    column.cells.push_back(slower ? fmt::format("{:+.2f} %", 100 * *slower) : "-");
  return column;
}

std::vector<std::string> in_order(const std::vector<std::string>& cells,
                                  const std::vector<std::size_t>& order) {
  std::vector<std::string> list;
  for (const auto place : order) list.push_back(cells[place]);
  return list;
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
  const std::string mark = "  named";
  auto columns = places_of(sweep);
  const auto all_figures = columns_of(judged);
  for (const auto& figures : all_figures) columns.push_back(numbers_of(figures));
  const auto shown = order_of(all_figures, sweep.gpus.size(), slowest);
  for (auto& column : columns) column.cells = in_order(column.cells, shown);
  const auto lines = aligned(std::move(columns), common::terminal_columns - mark.size());
  const auto named = named_gpus(judged);
  auto text = lines.front() + "\n";
  for (std::size_t i = 0; i < shown.size(); ++i)
    text += lines[i + 1] + (named.contains(shown[i]) ? mark : "") + "\n";
  text +=
      "Each figure: how much longer the GPU takes than healthy GPUs of its model; of what is "
      "named, "
      "the\nfinding's. -: not measured, or nothing to compare it with. h2d, d2h, both: copies by "
      "the link;\n*: while all GPUs of the node copy. host, latency: the slowest direction.\n";
  for (const auto& sentence : missing_sentences(judged.missing))
    text += fmt::format("  {}\n", sentence);
  const auto add = [&](const char* title, const std::vector<std::string>& sentences) {
    if (!sentences.empty()) text += fmt::format("{}:\n", title);
    for (const auto& sentence : sentences) text += fmt::format("  {}\n", sentence);
  };
  add("Not measured at one time", in_parts_sentences(sweep));
  add("Problems", problem_sentences(sweep));
  return text;
}

}  // namespace bench_transfers::fleet
