#include <fmt/format.h>

#include <algorithm>

#include "src/result_file/summary/tables.hpp"

namespace bench_transfers::result_file {
namespace {

/// The same one after the other: the plainest of the strategy at the same size.
const figure* serial_of(const figure& overlapped, const std::vector<figure>& sized) {
  const auto serial = std::ranges::find_if(sized, [&](const figure& candidate) {
    return candidate.benchmark->strategy == overlapped.benchmark->strategy &&
           candidate.benchmark->plainness == 0 &&
           candidate.benchmark->size_bytes == overlapped.benchmark->size_bytes;
  });
  return serial == sized.end() ? nullptr : &*serial;
}

/// How much of the copies' time is hidden.
std::string percent_hidden(const figure& overlapped, const figure* serial,
                           const figures& measured) {
  if (serial == nullptr || serial->benchmark == overlapped.benchmark) return "-";
  const auto upload = measured.median(*serial->benchmark, "upload_ns");
  const auto download = measured.median(*serial->benchmark, "download_ns");
  if (!upload || !download) return "-";
  const double hidden = serial->median_ns - overlapped.median_ns;
  return hidden < 0 ? "none" : number_or_dash(100 * hidden / (*upload + *download), 0);
}

}  // namespace

exports::table table_of_overlap(const std::vector<figure>& sized, const figures& measured) {
  if (sized.empty()) return {};
  const auto& largest = largest_of(sized);
  exports::table table{
      "",
      {{fmt::format("upload, compute, download, {} each way", largest.size()), cells::codes, 48},
       {"ms", cells::numbers, 8},
       {"% of the copies hidden", cells::numbers, 24}}};
  for (const auto& figure : sized)
    if (figure.bytes == largest.bytes)
      table.rows.push_back(
          {{front_of(*figure.benchmark), common::decimals(figure.median_ns / 1e6, 2),
            percent_hidden(figure, serial_of(figure, sized), measured)}});
  return table;
}

}  // namespace bench_transfers::result_file
