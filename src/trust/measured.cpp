#include "src/trust/measured.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "src/statistics/quantile.hpp"
#include "src/statistics/sample_order.hpp"

namespace bench_transfers::trust {
namespace {

using result_file::direction;

bool is_as_good(const measured& candidate, const measured& fastest) {
  const auto part = candidate.median_ns / fastest.median_ns;
  return part <= statistics::alike ||
         (part <= statistics::most_apart &&
          !statistics::is_clearly_larger(candidate.times_ns, fastest.times_ns));
}

auto order(const measured& benchmark) {
  const auto& described = *benchmark.described;
  return std::tuple(described.strategy, described.variant.value_or(""), benchmark.bytes.value_or(0),
                    described.cache, described.name);
}

}  // namespace

std::vector<double> measured::values(std::string_view counter) const {
  std::vector<double> positive;
  for (const auto* row : rows)
    if (const auto value = row->number(counter); value.value_or(0) > 0) positive.push_back(*value);
  return positive;
}

std::optional<double> measured::median(std::string_view counter) const {
  auto all = values(counter);
  return all.empty() ? std::nullopt : std::optional(statistics::median(std::move(all)));
}

std::vector<measured> benchmarks_in(const result_file::contents& read) {
  std::map<const result_file::benchmark*, measured> by_benchmark;
  for (const auto& row : read.rows) {
    const auto time_ns = row.number("median_ns");
    if (row.kind != result_file::row_kind::repetition || row.failed || time_ns.value_or(0) <= 0)
      continue;
    auto& benchmark =
        by_benchmark.try_emplace(row.benchmark, measured{row.benchmark}).first->second;
    benchmark.times_ns.push_back(*time_ns);
    benchmark.rows.push_back(&row);
    const auto bytes = row.number("bytes").value_or(0);
    if (!benchmark.bytes && bytes > 0 && row.benchmark->size_bytes) benchmark.bytes = bytes;
  }
  std::vector<measured> benchmarks;
  for (auto& [described, benchmark] : by_benchmark) {
    benchmark.median_ns = statistics::median(benchmark.times_ns);
    benchmarks.push_back(std::move(benchmark));
  }
  std::ranges::sort(benchmarks, {}, order);
  return benchmarks;
}

bool is_transfer(const measured& benchmark) {
  const auto& described = *benchmark.described;
  return described.role == "copy" && benchmark.bytes &&
         described.cache == result_file::cache_state::warm &&
         (described.direction == direction::h2d || described.direction == direction::d2h);
}

std::vector<const measured*> as_good_as_fastest(const std::vector<const measured*>& candidates) {
  std::vector<const measured*> as_good;
  if (candidates.empty()) return as_good;
  const auto& fastest = **std::ranges::min_element(candidates, {}, &measured::median_ns);
  std::ranges::copy_if(candidates, std::back_inserter(as_good),
                       [&](const measured* candidate) { return is_as_good(*candidate, fastest); });
  std::ranges::stable_sort(as_good, {}, [](const measured* candidate) {
    return std::pair(result_file::plainness_of(*candidate->described), candidate->median_ns);
  });
  return as_good;
}

}  // namespace bench_transfers::trust
