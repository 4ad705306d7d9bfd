#include "src/result_file/summary/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::result_file {
namespace {

constexpr std::string_view time_counter = "median_ns";
constexpr std::string_view bytes_counter = "bytes";

bool is_measured(const row& row) {
  return row.kind == row_kind::repetition && !row.failed && row.number(time_counter);
}

/// The name without the unit at its end, which is shown with the value: "over_plain".
std::string title_of(const metric& shown) {
  const auto suffix = "_" + shown.unit;
  return shown.name.ends_with(suffix) ? shown.name.substr(0, shown.name.size() - suffix.size())
                                      : shown.name;
}

std::string value_of(const metric& shown, double value) {
  const auto digits = common::three_digits(value);
  return shown.unit == "1" ? digits : digits + " " + shown.unit;
}

/// If a strategy has several variants of one direction, each has a row of its own.
void label(std::vector<figure>& sized) {
  std::map<std::pair<std::string, direction>, std::set<std::string>> variants;
  for (const auto& figure : sized)
    variants[{figure.benchmark->strategy, figure.benchmark->direction}].insert(
        figure.benchmark->variant.value_or(""));
  std::set<std::string> several;
  for (const auto& [place, names] : variants)
    if (names.size() > 1) several.insert(place.first);
  for (auto& figure : sized)
    figure.label = several.contains(figure.benchmark->strategy) ? front_of(*figure.benchmark)
                                                                : figure.benchmark->strategy;
}

}  // namespace

std::size_t size_of(const figure& shown) { return shown.benchmark->size_bytes.value_or(0); }

std::string figure::size() const { return common::format_size(size_of(*this)); }

std::string front_of(const benchmark& described) {
  return benchmark_name(described.strategy, described.variant, std::nullopt, cache_state::warm);
}

figures::figures(const contents& read) : file_(read) {
  for (const auto& row : read.rows)
    if (is_measured(row)) repetitions_[row.benchmark->name].push_back(&row);
}

std::optional<double> figures::median(const benchmark& described, std::string_view counter) const {
  const auto rows = repetitions_.find(described.name);
  if (rows == repetitions_.end()) return std::nullopt;
  std::vector<double> values;
  for (const auto* row : rows->second)
    if (const auto value = row->number(counter)) values.push_back(*value);
  return values.empty() ? std::nullopt : std::optional(statistics::median(std::move(values)));
}

std::vector<figure> figures::sized(cache_state cache) const {
  std::vector<figure> shown;
  for (const auto& [name, rows] : repetitions_) {
    const auto& described = *rows.front()->benchmark;
    const auto bytes = median(described, bytes_counter);
    if (described.cache != cache || !described.size_bytes || !bytes) continue;
    const double ns = median(described, time_counter).value();
    shown.push_back({&described, "", *bytes, ns, *bytes / ns});
  }
  label(shown);
  return shown;
}

std::vector<const benchmark*> figures::unsized() const {
  std::vector<const benchmark*> shown;
  for (const auto& [name, rows] : repetitions_) {
    const auto& described = *rows.front()->benchmark;
    if (!described.size_bytes || !median(described, bytes_counter)) shown.push_back(&described);
  }
  return shown;
}

std::vector<std::string> figures::headlines(const benchmark& described) const {
  std::vector<std::string> cells;
  for (const auto& [name, shown] : file_.metrics)
    if (shown.headline)
      if (const auto value = median(described, name))
        cells.push_back(title_of(shown) + " " + value_of(shown, *value));
  return cells;
}

void figures::add_legend(exports::answer& out, const std::vector<const benchmark*>& shown) const {
  const auto is_shown = [&](std::string_view counter) {
    return std::ranges::any_of(
        shown, [&](const benchmark* described) { return median(*described, counter).has_value(); });
  };
  for (const auto& [name, explained] : file_.metrics)
    if (explained.headline && is_shown(name))
      out.say(fmt::format("{}: {}", title_of(explained), explained.description));
}

bool figures::differ_in_sign(const benchmark& one, const benchmark& other) const {
  return std::ranges::any_of(file_.metrics, [&](const auto& entry) {
    const auto& [name, shown] = entry;
    if (!shown.headline || shown.kind != metric_kind::duration) return false;
    const auto first = median(one, name), second = median(other, name);
    return first && second && (*first < 0) != (*second < 0);
  });
}

bool figures::has(std::string_view counter) const {
  return std::ranges::any_of(repetitions_, [&](const auto& benchmark) {
    return median(*benchmark.second.front()->benchmark, counter).has_value();
  });
}

const figure& largest_of(const std::vector<figure>& shown) {
  return *std::ranges::max_element(shown, {}, &figure::bytes);
}

}  // namespace bench_transfers::result_file
