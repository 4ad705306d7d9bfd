#include "src/gate/report/show.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/common/natural_order.hpp"
#include "src/common/printable.hpp"
#include "src/common/wrapped.hpp"
#include "src/gate/report/figures.hpp"

namespace bench_transfers::gate {
namespace {

using common::terminal_columns;

constexpr std::size_t cell_width = 21;
constexpr std::size_t value_width = 12;
constexpr std::size_t least_name_width = 24;

std::string list_of(std::span<const run> runs) {
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& one = runs[i];
    auto words = fmt::format("{}: {}, {}", i + 1, common::printable(one.file.string()),
                             one.ours ? device_label(one.device, one.on_host)
                                      : "of another program, which does not say its machine");
    if (!one.complete) words += ", interrupted";
    if (!one.faults.empty())
      words += fmt::format(", with faults injected on purpose ({})", fmt::join(one.faults, ", "));
    text += common::wrapped_if_long(words);
  }
  return text;
}

/// "link.generation: 5 (1, 3), 4 (2)"
std::string facts_that_differ(std::span<const run> runs) {
  std::vector<std::string> keys;
  for (const auto& one : runs)
    for (const auto& [key, before, after] : differences(runs.front().machine, one.machine))
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  if (keys.empty()) return "";
  std::string text = "\nWhat differs between their machines:\n";
  for (const auto& key : keys) {
    std::vector<std::pair<std::string, std::vector<std::size_t>>> values;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto found = std::ranges::find(runs[i].machine, key, &fingerprint::value_type::first);
      const auto value = found == runs[i].machine.end() ? std::string("unknown") : found->second;
      auto place = std::ranges::find(values, value, &decltype(values)::value_type::first);
      if (place == values.end()) place = values.insert(place, {value, {}});
      place->second.push_back(i + 1);
    }
    auto words = fmt::format("- {}:", key);
    const char* separator = "";
    for (const auto& [value, those] : values) {
      words += fmt::format("{} {} ({})", separator, value, fmt::join(those, ", "));
      separator = ",";
    }
    text += common::wrapped(words, terminal_columns, 4);
  }
  return text;
}

/// The median, and how far smallest and largest lie apart as a part of it.
std::string cell_of(const run& one, const std::string& name, const metric& judged_by) {
  const auto found = one.benchmarks.find(name);
  if (found == one.benchmarks.end()) return fmt::format("{:>{}}", "-", value_width);
  const auto& values = found->second.values;
  const auto figure = figure_of(found->second, judged_by);
  if (!figure) return fmt::format("{:>{}}", "failed", value_width);
  const auto [least, most] = std::ranges::minmax(values);
  return fmt::format("{:>{}}{:>{}}", value_text(*figure, judged_by), value_width,
                     values.size() > 1 ? percent_text((most - least) / *figure) : "-",
                     cell_width - value_width);
}

}  // namespace

std::string side_by_side(std::span<const run> runs, const metric& judged_by) {
  std::set<std::string, common::natural_order> names;
  std::set<std::string> unjudged;
  for (const auto& one : runs) {
    for (const auto& [name, figures] : one.benchmarks) names.insert(name);
    unjudged.insert(one.unjudged.begin(), one.unjudged.end());
  }
  std::size_t name_width = least_name_width;
  for (const auto& name : names)
    if (const auto columns = columns_of(name); columns <= terminal_columns - cell_width)
      name_width = std::max(name_width, columns);
  const auto most_beside = (terminal_columns - name_width) / cell_width;

  auto text = list_of(runs) + facts_that_differ(runs);
  for (std::size_t first = 0; first < runs.size(); first += most_beside) {
    const auto block = runs.subspan(first, std::min(most_beside, runs.size() - first));
    auto heads = fmt::format("{:<{}}", judged_by.key, name_width);
    for (std::size_t i = 0; i < block.size(); ++i)
      heads += fmt::format("{:>{}}{:>{}}", fmt::format("run {}", first + i + 1), value_width,
                           "range", cell_width - value_width);
    text += "\n" + heads + "\n";
    for (const auto& name : names) {
      const auto columns = columns_of(name);
      std::string line = name + (columns > name_width ? "\n" + std::string(name_width, ' ')
                                                      : std::string(name_width - columns, ' '));
      for (const auto& one : block) {
        const auto cell = cell_of(one, name, judged_by);
        const auto wide = columns_of(cell);
        line += cell + std::string(wide < cell_width ? cell_width - wide : 1, ' ');
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
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
