#include "src/gate/report/show.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "src/common/message.hpp"
#include "src/common/text.hpp"
#include "src/exports/text.hpp"
#include "src/gate/report/figures.hpp"

namespace bench_transfers::gate {
namespace {

using common::terminal_columns;

constexpr std::size_t cell_width = 21;  // of a run
constexpr std::size_t least_name_width = 24;

std::string list_of(std::span<const run> runs) {
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& run = runs[i];
    auto words = fmt::format("{}: {}, {}", i + 1, common::printable(run.name().string()),
                             run.ours ? device_label(run.device, run.on_host)
                                      : "of another program; its machine is unknown");
    if (!run.complete) words += ", incomplete";
    if (const auto in_parts = common::in_parts_text(run.parts)) words += ", " + *in_parts;
    if (!run.faults.empty())
      words += fmt::format(", with faults injected on purpose ({})", fmt::join(run.faults, ", "));
    text += common::wrapped_if_long(words);
  }
  return text;
}

/// "link.generation: 5 (1, 3), 4 (2)"
std::string differing_facts(std::span<const run> runs) {
  std::vector<std::string> keys;
  for (const auto& run : runs)
    for (const auto& [key, before, after] : differences(runs.front().machine, run.machine))
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  if (keys.empty()) return "";
  std::string text = "\nDifferences between their machines:\n";
  for (const auto& key : keys) {
    std::vector<std::pair<std::string, std::vector<std::size_t>>> values;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto fact = std::ranges::find(runs[i].machine, key, &fingerprint::value_type::first);
      const auto value = fact == runs[i].machine.end() ? std::string("unknown") : fact->second;
      auto entry = std::ranges::find(values, value, &decltype(values)::value_type::first);
      if (entry == values.end()) entry = values.insert(entry, {value, {}});
      entry->second.push_back(i + 1);
    }
    auto words = fmt::format("- {}:", key);
    const char* separator = "";
    for (const auto& [value, numbers] : values) {
      words += fmt::format("{} {} ({})", separator, value, fmt::join(numbers, ", "));
      separator = ",";
    }
    text += common::wrapped(words, terminal_columns, 4);
  }
  return text;
}

/// The median and the range, as a part of the median.
std::pair<std::string, std::string> cells_of(const run& run, const std::string& name,
                                             const metric& judged_by) {
  const auto benchmark = run.benchmarks.find(name);
  if (benchmark == run.benchmarks.end()) return {"-", ""};
  const auto& values = benchmark->second.values;
  const auto figure = figure_of(benchmark->second, judged_by);
  if (!figure) return {benchmark->second.failed > 0 ? "failed" : "disturbed", ""};
  const auto [least, most] = std::ranges::minmax(values);
  return {value_text(*figure, judged_by),
          values.size() > 1 ? percent_text((most - least) / *figure) : "-"};
}

}  // namespace

std::string side_by_side(std::span<const run> runs, const metric& judged_by, std::size_t columns) {
  columns = std::max(columns, terminal_columns);
  std::set<std::string, common::natural_order> names;
  std::set<std::string> unjudged;
  for (const auto& run : runs) {
    for (const auto& [name, figures] : run.benchmarks) names.insert(name);
    unjudged.insert(run.unjudged.begin(), run.unjudged.end());
  }
  std::size_t name_width = least_name_width;
  // Two runs are compared in one row, however long the names are: those stand above their cells.
  const auto cells = cell_width * std::clamp<std::size_t>(runs.size(), 1, 2);
  for (const auto& name : names)
    if (const auto wide = common::letters_in(name); wide <= columns - cells)
      name_width = std::max(name_width, wide);
  const auto runs_in_row = (columns - name_width) / cell_width;

  auto text = list_of(runs) + differing_facts(runs);
  for (std::size_t first = 0; first < runs.size(); first += runs_in_row) {
    const auto block = runs.subspan(first, std::min(runs_in_row, runs.size() - first));
    exports::table table{"", {{judged_by.key, exports::cells::codes, name_width}}};
    for (std::size_t i = 0; i < block.size(); ++i) {
      table.columns.push_back({fmt::format("run {}", first + i + 1), exports::cells::numbers, 10});
      table.columns.push_back({"range", exports::cells::numbers, 7});
    }
    for (const auto& name : names) {
      auto& row = table.rows.emplace_back(exports::row{{name}}).cells;
      for (const auto& run : block) {
        auto [value, range] = cells_of(run, name, judged_by);
        row.insert(row.end(), {std::move(value), std::move(range)});
      }
    }
    text += "\n" + exports::text_of(table, columns);
  }
  text +=
      fmt::format("\n{} the repetitions; range: from the least to the largest, as a part of it.\n",
                  judged_by.fastest_repetition ? "The fastest of" : "Medians over");
  if (!unjudged.empty())
    text += common::wrapped(fmt::format("Not shown: {}, for lack of {}.",
                                        counted(unjudged.size(), "benchmark"), judged_by.key));
  return text;
}

}  // namespace bench_transfers::gate
