#include "src/result_file/contradictions.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>

#include "src/common/printable.hpp"
#include "src/result_file/entries.hpp"

namespace bench_transfers::result_file {
namespace {

constexpr double tolerance = 0.01;

[[noreturn]] void refuse(const row& row, const std::string& why) {
  throw bad_benchmark(row.benchmark->name, why);
}

/// What is not there contradicts nothing.
void require_same(const row& row, std::optional<double> one, std::optional<double> other,
                  const char* fields) {
  if (one && other && !(std::abs(*one - *other) <= tolerance * std::abs(*other)))
    refuse(row, fmt::format("its {} contradict each other", fields));
}

void require_growing(const row& row, std::initializer_list<const char*> names) {
  const char* before = nullptr;
  for (const auto* name : names) {
    const auto time = row.number(name);
    if (!time) continue;
    if (before && !(*row.number(before) <= *time * (1 + tolerance)))
      refuse(row, fmt::format("its {} and {} contradict each other", before, name));
    before = name;
  }
}

/// bench_transfers gives the median time twice, and derives the bandwidth from bytes and time.
void require_consistent(const row& row) {
  if (const auto time = row.number("real_time")) {
    const double ns = *time * ns_per_unit(row);
    require_same(row, row.number("median_ns"), ns, "real_time and median_ns");
    const auto rate = row.number("gb_per_s");
    if (const auto bytes = row.number("bytes"); rate && bytes && *bytes != 0)
      require_same(row, *rate * ns, bytes, "real_time, bytes and gb_per_s");
  }
  require_growing(row, {"min_ns", "p5_ns", "median_ns", "p95_ns", "p99_ns", "max_ns"});
  require_growing(row, {"min_ns", "mean_ns", "max_ns"});
  require_same(row, row.number("iterations"), row.number("operations"),
               "iterations and operations");
}

struct benchmark_rows {
  std::optional<double> bytes;
  std::set<std::int64_t> repetitions;
  std::size_t last_row = 0;  ///< of the last repetition without an index
};

/// Older releases of Google Benchmark do not number repetitions and write those of a benchmark in a
/// row.
void add_index(std::size_t number, const row& row, benchmark_rows& rows) {
  const auto before = row.repetition ? 0 : std::exchange(rows.last_row, number);
  const bool is_apart = before != 0 && before + 1 != number;
  const auto index = row.repetition.value_or(static_cast<std::int64_t>(rows.repetitions.size()));
  if (is_apart || !rows.repetitions.insert(index).second) refuse(row, "it is in the file twice");
}

void add_bytes(const row& row, benchmark_rows& rows) {
  const auto bytes = row.number("bytes");
  if (!bytes || !(*bytes > 0)) return;
  if (rows.bytes && *rows.bytes != *bytes)
    refuse(row, "its repetitions move different numbers of bytes");
  rows.bytes = bytes;
}

}  // namespace

double ns_per_unit(const row& row) {
  constexpr std::array units{std::pair("ns", 1.), std::pair("us", 1e3), std::pair("ms", 1e6),
                             std::pair("s", 1e9)};
  for (const auto& [unit, ns] : units)
    if (row.time_unit == unit) return ns;
  refuse(row, fmt::format("its time_unit is '{}', not ns, us, ms or s",
                          common::printable_in_short(row.time_unit)));
}

void require_no_contradiction(const contents& read) {
  std::unordered_map<const benchmark*, benchmark_rows> benchmarks;
  std::size_t number = 0;
  for (const auto& row : read.rows) {
    ++number;
    if (row.kind != row_kind::repetition) continue;
    auto& rows = benchmarks[row.benchmark];
    add_bytes(row, rows);
    if (!row.failed && read.is_bench_transfers()) require_consistent(row);
    if (row.repetition || !read.is_bench_transfers()) add_index(number, row, rows);
  }
}

}  // namespace bench_transfers::result_file
