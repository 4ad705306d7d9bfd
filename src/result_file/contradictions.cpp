#include "src/result_file/contradictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/result_file/entries.hpp"
#include "src/result_file/procedure.hpp"

namespace bench_transfers::result_file {
namespace {

constexpr double tolerance = 0.01;

[[noreturn]] void refuse(const row& row, const std::string& why) {
  throw bad_benchmark(row.benchmark->name, why);
}

constexpr double least_ns = 1e-3;
constexpr double most_ns = 1e15;  // eleven days

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
    if (!(*time > 0)) refuse(row, fmt::format("its {} is {}", name, *time));
    if (before && !(*row.number(before) <= *time * (1 + tolerance)))
      refuse(row, fmt::format("its {} and {} contradict each other", before, name));
    before = name;
  }
}

/// bench_transfers gives the median time twice, and derives the bandwidth from bytes and time.
void require_consistent(const row& row) {
  const auto is_time = [](const value& value) { return *value.name == "real_time"; };
  if (std::ranges::any_of(row.values, is_time)) {
    const double ns = real_time_ns(row);
    require_same(row, row.number("median_ns"), ns, "real_time and median_ns");
    const auto rate = row.number("gb_per_s");
    if (const auto bytes = row.number("bytes"); rate && bytes && *bytes != 0)
      require_same(row, *rate * ns, bytes, "real_time, bytes and gb_per_s");
  }
  require_growing(row, {"min_ns", "p5_ns", "median_ns", "p95_ns", "p99_ns", "max_ns"});
  require_growing(row, {"min_ns", "mean_ns", "max_ns"});
  require_same(row, row.number("iterations"), row.number("operations"),
               "iterations and operations");
  // Other roles count what they move in ways of their own.
  if (const auto size = row.benchmark->size_bytes; size && row.benchmark->role == "copy")
    require_same(row, row.number("bytes"), static_cast<double>(*size), "bytes and size_bytes");
}

/// Other variants do not name the direction, or not alone ("h2d_by_kernel", in which both copy).
void require_direction(const benchmark& described) {
  const auto named = described.variant ? direction_from(*described.variant) : std::nullopt;
  const auto is_one_way = [](direction way) {
    return way == direction::h2d || way == direction::d2h;
  };
  if (named && is_one_way(*named) && is_one_way(described.direction) &&
      *named != described.direction)
    throw bad_benchmark(described.name, "its variant and its direction contradict each other");
}

void require_consistent_facts(const contents& read) {
  const auto& facts = read.facts;
  const auto one = text_at(facts, {"device", "kind"}),
             other = text_at(device_of(read, 0), {"kind"});
  if (!one.empty() && !other.empty() && one != other)
    throw bad_entry("its device and its devices[0] contradict each other in kind");
  const auto started = common::parse_timestamp(text_at(facts, {"run", "started_utc"}));
  const auto finished = common::parse_timestamp(text_at(facts, {"run", "finished_utc"}));
  if (started && finished && *finished < *started)
    throw bad_entry("its finished_utc is before its started_utc");
}

struct benchmark_rows {
  std::optional<double> bytes;
  std::optional<unsigned> procedure;
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

void add_procedure(const row& row, benchmark_rows& rows) {
  const auto procedure = procedure_of(row);
  if (is_other_procedure(rows.procedure.value_or(procedure), procedure))
    refuse(row, fmt::format("its repetitions were measured by procedures {} and {}",
                            *rows.procedure, procedure));
  rows.procedure = procedure;
}

}  // namespace

unsigned procedure_of(const row& row) {
  constexpr double most = 1e6;
  double number = 1;
  for (const auto& value : row.values)
    if (*value.name == "procedure") number = value.number;  // NaN: no number
  if (!(number >= 1 && number <= most && number == std::trunc(number)))
    refuse(row, "its procedure is no whole number from 1 on");
  return static_cast<unsigned>(number);
}

double ns_per_unit(const row& row) {
  constexpr std::array units{std::pair("ns", 1.), std::pair("us", 1e3), std::pair("ms", 1e6),
                             std::pair("s", 1e9)};
  for (const auto& [unit, ns] : units)
    if (row.time_unit == unit) return ns;
  refuse(row, fmt::format("its time_unit '{}' is none of ns, us, ms, s",
                          common::printable_in_short(row.time_unit)));
}

double positive(const row& row, std::string_view name) {
  const auto is_it = [&](const value& value) { return *value.name == name; };
  if (std::ranges::count_if(row.values, is_it) > 1)
    refuse(row, fmt::format("a row has {} twice", name));
  const auto value = std::ranges::find_if(row.values, is_it);
  if (value == row.values.end()) refuse(row, fmt::format("it has no {}", name));
  if (std::isnan(value->number)) refuse(row, fmt::format("its {} is not a number", name));
  if (!(value->number > 0)) refuse(row, fmt::format("its {} is {}", name, value->number));
  return value->number;
}

double real_time_ns(const row& row) {
  const double ns = positive(row, "real_time") * ns_per_unit(row);
  if (!(ns >= least_ns && ns <= most_ns))
    refuse(row, fmt::format("its real_time is {} ns, which nobody can have measured", ns));
  return ns;
}

void require_no_contradiction(const contents& read) {
  if (read.is_bench_transfers()) {
    require_consistent_facts(read);
    for (const auto& [name, described] : read.benchmarks) require_direction(described);
  }
  std::unordered_map<const benchmark*, benchmark_rows> benchmarks;
  std::size_t number = 0;
  for (const auto& row : read.rows) {
    ++number;
    if (row.kind != row_kind::repetition) continue;
    auto& rows = benchmarks[row.benchmark];
    add_bytes(row, rows);
    if (!row.failed && read.is_bench_transfers()) {
      require_consistent(row);
      add_procedure(row, rows);
    }
    if (row.repetition || !read.is_bench_transfers()) add_index(number, row, rows);
  }
}

}  // namespace bench_transfers::result_file
