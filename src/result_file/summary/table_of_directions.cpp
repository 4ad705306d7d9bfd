#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "src/result_file/summary/tables.hpp"

namespace bench_transfers::result_file {
namespace {

using figures_by_label = std::map<std::string, double>;

figures_by_label pick(const std::vector<figure>& sized, double bytes, direction towards,
                      double (*value)(const figure&)) {
  figures_by_label picked;
  for (const auto& figure : sized)
    if (figure.bytes == bytes && figure.benchmark->direction == towards)
      picked[figure.label] = value(figure);
  return picked;
}

double microseconds(const figure& shown) { return shown.median_ns / 1000; }
double rate(const figure& shown) { return shown.gb_per_s; }

enum class best { smallest, largest };

/// Of the strategies measured at the smallest or the largest size; others have their own table.
std::vector<std::string> labels_of(const std::vector<figure>& sized, double smallest,
                                   double largest) {
  std::vector<std::string> labels;
  for (const auto& figure : sized)
    if ((figure.bytes == smallest || figure.bytes == largest) &&
        std::ranges::find(labels, figure.label) == labels.end())
      labels.push_back(figure.label);
  return labels;
}

std::string percent_of_link(const figures_by_label& rates, const std::string& label,
                            const nlohmann::ordered_json& link) {
  const auto rate = rates.find(label);
  const auto& limit = member(link, {"limit_gb_per_s"});
  if (!limit.is_number() || rate == rates.end()) return "-";
  return fmt::format("{:.0f}", 100 * rate->second / limit.get<double>());
}

std::string rate_at(double bytes, direction towards, const std::vector<figure>& sized) {
  const auto match = std::ranges::find_if(sized, [&](const figure& candidate) {
    return candidate.bytes == bytes && candidate.benchmark->direction == towards;
  });
  return number_or_dash(match == sized.end() ? std::nullopt : std::optional(match->gb_per_s), 2);
}

/// Figures further apart than this differ for somebody who reads few numbers.
constexpr double most_apart = 0.1;

struct direction_columns {
  explicit direction_columns(const std::vector<figure>& sized)
      : smallest(*std::ranges::min_element(sized, {}, &figure::bytes)),
        largest(largest_of(sized)),
        // Latency is of interest only where it is not bandwidth seen from the other side.
        with_latency(smallest.bytes < largest.bytes || smallest.bytes <= 4096),
        latency_to(pick(sized, smallest.bytes, direction::h2d, microseconds)),
        latency_from(pick(sized, smallest.bytes, direction::d2h, microseconds)),
        rate_to(pick(sized, largest.bytes, direction::h2d, rate)),
        rate_from(pick(sized, largest.bytes, direction::d2h, rate)) {}

  [[nodiscard]] bool are_alike(const std::string& first, const std::string& second) const {
    const auto in = [&](const figures_by_label& values) {
      const auto one = values.find(first), other = values.find(second);
      if (one == values.end() || other == values.end()) return one == other;
      return std::max(one->second, other->second) <=
             std::min(one->second, other->second) * (1 + most_apart);
    };
    return (!with_latency || (in(latency_to) && in(latency_from))) && in(rate_to) && in(rate_from);
  }

  const figure& smallest;
  const figure& largest;
  bool with_latency;
  figures_by_label latency_to, latency_from, rate_to, rate_from;
};

struct table_row {
  std::string label;
  std::vector<std::string> alike = {};  ///< strategies that this row stands for, too

  [[nodiscard]] std::string title() const {
    return alike.empty() ? label : fmt::format("{} (+{})", label, alike.size());
  }
};

/// The best and its equals.
bool is_among_best(const figures_by_label& values, const std::string& label, best is_best) {
  const auto entry = values.find(label);
  if (entry == values.end()) return false;
  const auto [least, most] =
      std::ranges::minmax_element(values, {}, &figures_by_label::value_type::second);
  return is_best == best::smallest ? entry->second <= least->second * 1.01
                                   : entry->second >= most->second * 0.99;
}

/// Text for one cell; '*' marks the row that is, or stands for, the best or one of its equals.
std::string cell(const figures_by_label& values, const table_row& row, int decimals, best is_best) {
  const auto entry = values.find(row.label);
  if (entry == values.end()) return "-  ";
  const auto is_best_one = [&](const std::string& label) {
    return is_among_best(values, label, is_best);
  };
  const bool marked = is_best_one(row.label) || std::ranges::any_of(row.alike, is_best_one);
  const int shown = entry->second < 1000 ? decimals : 1;  // so that columns stay narrow
  return fmt::format("{:.{}f} {}", entry->second, shown, marked ? '*' : ' ');
}

/// In brief, the plainest strategy stands for those of its family and method that are alike.
std::vector<table_row> rows_of(const std::vector<figure>& sized, const direction_columns& columns,
                               detail shown) {
  std::map<std::string, const benchmark*> benchmarks;
  for (const auto& figure : sized) benchmarks.emplace(figure.label, figure.benchmark);
  auto labels = labels_of(sized, columns.smallest.bytes, columns.largest.bytes);
  if (shown == detail::brief)
    std::ranges::stable_sort(labels, {},
                             [&](const auto& label) { return benchmarks.at(label)->plainness; });
  std::vector<table_row> rows;
  for (const auto& label : labels) {
    const auto stands_for_it = [&](const table_row& row) {
      const auto &one = *benchmarks.at(row.label), &other = *benchmarks.at(label);
      return one.family == other.family && one.method == other.method &&
             columns.are_alike(row.label, label);
    };
    const auto row =
        shown == detail::brief ? std::ranges::find_if(rows, stands_for_it) : rows.end();
    if (row == rows.end())
      rows.push_back({label});
    else
      row->alike.push_back(label);
  }
  if (shown == detail::brief) std::ranges::sort(rows, common::natural_order(), &table_row::label);
  return rows;
}

}  // namespace

void add_directions(exports::answer& out, const std::vector<figure>& sized, const figures& measured,
                    detail shown) {
  if (sized.empty()) return;
  const direction_columns columns(sized);
  const auto rows = rows_of(sized, columns, shown);
  const auto& link = member(measured.file().facts, {"link"});
  exports::table table{.columns = {{"strategy", cells::codes, 33}}, .between = 1};
  const auto add_pair = [&](const char* h2d, const char* d2h, std::size_t width,
                            const std::string& over) {
    table.columns.push_back({h2d, cells::numbers, width, over});
    table.columns.push_back({d2h, cells::numbers, width, over});
  };
  if (columns.with_latency) add_pair("h2d  ", "d2h  ", 9, columns.smallest.size() + " latency, µs");
  add_pair("h2d  ", "d2h  ", 9, columns.largest.size() + ", GB/s");
  add_pair("h2d", "d2h", 6, "% of link");
  for (const auto& row : rows) {
    auto& line = table.rows.emplace_back(exports::row{{row.title()}}).cells;
    if (columns.with_latency)
      for (const auto* latency : {&columns.latency_to, &columns.latency_from})
        line.push_back(cell(*latency, row, 3, best::smallest));
    for (const auto* rate : {&columns.rate_to, &columns.rate_from})
      line.push_back(cell(*rate, row, 2, best::largest));
    for (const auto* rate : {&columns.rate_to, &columns.rate_from})
      line.push_back(percent_of_link(*rate, row.label, link));
  }
  out.add(std::move(table));
  out.say("* best of its column, or within 1 % of it.");
  if (std::ranges::any_of(rows, [](const table_row& row) { return !row.alike.empty(); }))
    out.say(fmt::format(
        "(+N) and N more of the family, within {:.0f} % of it in each column; * if one of them is "
        "best.",
        100 * most_apart));
}

exports::table table_of_smaller(const std::vector<figure>& sized) {
  if (sized.empty()) return {};
  const auto largest = largest_of(sized).bytes;
  std::map<std::string, std::vector<figure>, common::natural_order> by_label;
  for (const auto& figure : sized) by_label[figure.label].push_back(figure);
  exports::table table{"",
                       {{"measured up to smaller sizes, GB/s there", cells::codes, 54},
                        {"size", cells::numbers, 6},
                        {"h2d", cells::numbers, 10},
                        {"d2h", cells::numbers, 10}}};
  for (const auto& [label, figures] : by_label)
    if (const auto& own = largest_of(figures); own.bytes != largest)
      table.rows.push_back({{label, own.size(), rate_at(own.bytes, direction::h2d, figures),
                             rate_at(own.bytes, direction::d2h, figures)}});
  return table;
}

}  // namespace bench_transfers::result_file
