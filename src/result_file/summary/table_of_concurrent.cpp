#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/common/text.hpp"
#include "src/result_file/summary/tables.hpp"

namespace bench_transfers::result_file {
namespace {

/// The value of one copy's metric of this kind.
std::optional<double> value_of(const benchmark& described, const flow& copy, metric_kind kind,
                               bool alone, const figures& measured) {
  for (const auto& [name, candidate] : measured.file().metrics)
    if (candidate.is_of(copy) && candidate.kind == kind && candidate.alone == alone)
      return measured.median(described, name);
  return std::nullopt;
}

/// The sum over all copies; nullopt if it is not known of one.
std::optional<double> sum_alone(const benchmark& described, const figures& measured) {
  std::optional<double> sum = 0;
  for (const auto& copy : described.flows) {
    const auto rate = value_of(described, copy, metric_kind::rate, true, measured);
    sum = sum && rate ? std::optional(*sum + *rate) : std::nullopt;
  }
  return sum;
}

/// "cuda:1 h2d 44.60 of 56.20 (-20.6 %)", "cuda:1 h2d pinned@node1 44.60 …", "cuda:1 h2d 44.60".
std::string text_of(const benchmark& described, const flow& copy, const figures& measured) {
  const auto at_once = value_of(described, copy, metric_kind::rate, false, measured);
  const auto alone = value_of(described, copy, metric_kind::rate, true, measured);
  const auto text = fmt::format("{} {}{} {}", id_of_device(measured.file(), copy.device),
                                to_string(copy.direction), copy.memory ? " " + *copy.memory : "",
                                number_or_dash(at_once, 2));
  // Copies at once with those of other processes are not measured alone.
  if (described.set && described.set->kind == set_kind::ranks) return text;
  // Of the two medians beside it; the metric is the median of the samples' losses.
  const auto changed =
      at_once && alone ? std::optional(100 * (*at_once / *alone - 1)) : std::nullopt;
  return fmt::format("{} of {} ({} %)", text, number_or_dash(alone, 2), number_or_dash(changed, 1));
}

/// Pieces side by side, as many on a line as fit.
std::string lines_of(const std::vector<std::string>& pieces) {
  std::string lines, line;
  for (const auto& piece : pieces) {
    if (!line.empty() && line.size() + piece.size() + 4 > common::terminal_columns)
      lines += std::exchange(line, "") + "\n";
    line += (line.empty() ? "" : "  ") + piece;
  }
  return lines + line;
}

}  // namespace

exports::table table_of_concurrent(const std::vector<figure>& sized, const figures& measured) {
  if (sized.empty()) return {};
  const auto& largest =
      *std::ranges::max_element(sized, {}, [](const auto& shown) { return size_of(shown); });
  exports::table table{
      "",
      {{fmt::format("several copies at once, {} each, GB/s", largest.size()), cells::codes, 60},
       {"in all", cells::numbers, 8},
       {"alone", cells::numbers, 8}}};
  for (const auto& figure : sized) {
    const auto& described = *figure.benchmark;
    if (size_of(figure) != size_of(largest)) continue;
    std::vector<std::string> copies;
    for (const auto& copy : described.flows) copies.push_back(text_of(described, copy, measured));
    table.rows.push_back({{front_of(described), number_or_dash(figure.gb_per_s, 2),
                           number_or_dash(sum_alone(described, measured), 2)},
                          lines_of(copies)});
  }
  return table;
}

}  // namespace bench_transfers::result_file
