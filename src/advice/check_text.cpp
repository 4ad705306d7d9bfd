#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "src/advice/text_parts.hpp"
#include "src/common/text.hpp"
#include "src/statistics/quantile.hpp"

// How well the fits predict sizes that were left out.

namespace bench_transfers::advice {
namespace {

using common::counted;
using common::percent_text;
using common::time_text;
using exports::cells;

/// Rounds to a whole number of a unit that leaves two digits or more.
std::string rounded_size_text(double bytes) {
  double unit = 1;
  while (bytes >= 10 * 1024 * unit && unit < 1024.0 * 1024 * 1024) unit *= 1024;
  return size_text(std::max(1.0, std::round(bytes / unit)) * unit);
}

double median_error(const std::vector<left_out_size>& sizes) {
  std::vector<double> errors;
  errors.reserve(sizes.size());
  for (const auto& size : sizes) errors.push_back(std::abs(size.error()));
  return statistics::median(errors);
}

const left_out_size& worst_of(const std::vector<left_out_size>& sizes) {
  return *std::ranges::max_element(sizes, {},
                                   [](const auto& size) { return std::abs(size.error()); });
}

exports::row check_row(const leave_out_check& check) {
  const auto& line = check.fitted;
  const auto half = line.half_bandwidth_bytes();
  // If half of the rate is reached only beyond the largest measured size, time hardly depends on
  // the size, and a rate (of a pool, or of cudaMalloc) would be large and meaningless.
  const bool has_rate = !half || *half <= line.largest();
  const auto bandwidth = has_rate ? line.bandwidth() : std::nullopt;
  const auto& worst = worst_of(check.sizes);
  return {{check.name, fmt::format("{}", line.lines()), time_text(line.t0().value),
           bandwidth ? common::three_digits(bandwidth->value) : "-",
           half && has_rate ? rounded_size_text(*half) : "-", error_cell(median_error(check.sizes)),
           error_cell(std::abs(worst.error())), size_text(worst.bytes)}};
}

/// Sums up all checks of one kind.
template <class Condition>
void add_check_sum(exports::answer& out, const std::vector<leave_out_check>& checks,
                   Condition&& belongs, const char* title) {
  std::vector<left_out_size> sizes;
  std::vector<std::string> over;
  for (const auto& check : checks) {
    if (!belongs(check)) continue;
    for (const auto& size : check.sizes) {
      sizes.push_back(size);
      if (std::abs(size.error()) > 0.1)
        over.push_back(fmt::format("{} at {} ({:+.1f} %)", check.name, size_text(size.bytes),
                                   100 * size.error()));
    }
  }
  if (sizes.empty()) return;
  const auto covered = std::ranges::count_if(sizes, &left_out_size::is_in_interval);
  out.say(fmt::format(
      "{}: {} left out, one at a time: median error {}, largest {}; {} within 10 %; {} inside "
      "their 95 % interval.",
      title, counted(sizes.size(), "size"), percent_text(median_error(sizes)),
      percent_text(std::abs(worst_of(sizes).error())), sizes.size() - over.size(), covered));
  if (!over.empty()) out.say(fmt::format("More than 10 % off: {}.", fmt::join(over, ", ")));
}

}  // namespace

void add_check(exports::answer& out, const measurements& measured,
               const std::vector<leave_out_check>& checks) {
  add_origin(out, measured);
  exports::table table{"",
                       {{"", cells::codes, 8},
                        {"lines", cells::numbers},
                        {"t0", cells::numbers, 7},
                        {"GB/s", cells::numbers, 5},
                        {"n½", cells::numbers, 7},
                        {"error", cells::numbers, 7, "median"},
                        {"error", cells::numbers, 7, "worst"},
                        {"at", cells::numbers, 6}}};
  for (const auto& check : checks) table.rows.push_back(check_row(check));
  out.add(std::move(table));
  const auto covers_allocation = [](const leave_out_check& check) {
    return is_allocation(check.measures);
  };
  add_check_sum(out, checks, std::not_fn(covers_allocation), "Transfers");
  add_check_sum(out, checks, covers_allocation, "Allocating and freeing");
}

}  // namespace bench_transfers::advice
