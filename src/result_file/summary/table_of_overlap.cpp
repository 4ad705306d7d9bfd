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

std::string table_of_overlap(const std::vector<figure>& sized, const figures& measured) {
  if (sized.empty()) return "";
  const auto& largest = largest_of(sized);
  std::string text =
      fmt::format("\n{:<48}{:>10}{:>26}\n",
                  fmt::format("upload, compute, download, {} each way", largest.size()), "ms",
                  "% of the copies hidden");
  for (const auto& figure : sized)
    if (figure.bytes == largest.bytes)
      text += fmt::format("{:<48}{:>10.2f}{:>26}\n", front_of(*figure.benchmark),
                          figure.median_ns / 1e6,
                          percent_hidden(figure, serial_of(figure, sized), measured));
  return text;
}

}  // namespace bench_transfers::result_file
