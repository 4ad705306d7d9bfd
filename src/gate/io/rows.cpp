#include "src/gate/io/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "src/common/printable.hpp"
#include "src/gate/io/hash.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/result_file/benchmark_class.hpp"

namespace bench_transfers::gate {
namespace {

using result_file::contents;
using result_file::row;

[[noreturn]] void refuse(std::string_view benchmark, const std::string& why) {
  throw bad_input(fmt::format("benchmark {}: {}", common::printable_in_short(benchmark), why));
}

/// The values of a row that have the same name.
struct entries {
  /// NaN: not a number. The first value counts, because counters come last and may have any name.
  std::optional<double> first;
  bool several = false;
};

entries entries_of(const row& row, std::string_view name) {
  entries entries;
  for (const auto& value : row.values) {
    if (*value.name != name) continue;
    if (entries.first)
      entries.several = true;
    else
      entries.first = value.number;
  }
  return entries;
}

/// The time units of Google Benchmark (GetTimeUnitString).
std::optional<double> ns_per(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us") return 1e3;
  if (unit == "ms") return 1e6;
  if (unit == "s") return 1e9;
  return std::nullopt;
}

double ns_per_unit(const row& row) {
  const auto ns = ns_per(row.time_unit);
  if (!ns)
    refuse(row.benchmark->name, fmt::format("its time_unit is '{}', not ns, us, ms or s",
                                            common::printable_in_short(row.time_unit)));
  return *ns;
}

/// The value that the benchmark is judged by, of a repetition without an error.
double value_of(const row& row, const entries& entries, const metric& judged_by) {
  const auto& benchmark = row.benchmark->name;
  const auto& key = judged_by.key;
  if (entries.several) refuse(benchmark, fmt::format("a row has {} twice", key));
  if (!entries.first) refuse(benchmark, fmt::format("it has no {}", key));
  const double number = *entries.first;
  if (std::isnan(number)) refuse(benchmark, fmt::format("its {} is not a number", key));
  if (!(number > 0)) refuse(benchmark, fmt::format("its {} is {}", key, number));
  const double value = judged_by.is_counter() ? number : number * ns_per_unit(row);
  if (!judged_by.can_be(value))
    refuse(benchmark, fmt::format("its {} is {}{}, which nobody can have measured", key, value,
                                  judged_by.is_time() ? " " + judged_by.unit() : ""));
  return value;
}

/// bench_transfers gives the median time twice, and derives the bandwidth from bytes and time.
void require_consistent(const row& row) {
  constexpr double tolerance = 0.01;
  const auto time = entries_of(row, "real_time").first;
  const auto bytes = entries_of(row, "bytes").first;
  const auto rate = entries_of(row, "gb_per_s").first;
  const auto median = entries_of(row, "median_ns").first;
  const auto require_one = [&](double ratio, const char* fields) {
    if (!(std::abs(ratio - 1) < tolerance))
      refuse(row.benchmark->name, fmt::format("its {} contradict each other", fields));
  };
  if (!time) return;
  const double ns = *time * ns_per_unit(row);
  if (bytes && rate && *bytes != 0)
    require_one(*rate * ns / *bytes, "real_time, bytes and gb_per_s");
  if (median) require_one(*median / ns, "real_time and median_ns");
}

/// Without a `repetition_index`, the index is its position among the repetitions.
struct repetition {
  std::int64_t index = 0;
  std::optional<double> value;  ///< none: it failed
};

struct benchmark_rows {
  const result_file::benchmark* described = nullptr;
  std::vector<repetition> repetitions;
  std::optional<double> bytes;
  std::size_t without = 0;   ///< repetitions that lack the field judged by
  std::size_t last_row = 0;  ///< of the last repetition without an index
};

/// Aggregates of sizes, not of repetitions (Google Benchmark, "Asymptotic Complexity").
bool is_of_complexity(std::string_view aggregate) {
  return aggregate.ends_with("BigO") || aggregate.ends_with("RMS");
}

/// The fields that benchmarks could be judged by, mainly counters: numbers that do not describe the
/// row's position. Long names are shortened.
std::set<std::string> possible_fields(const contents& file) {
  static const std::set<std::string_view> positions{"family_index", "per_family_instance_index",
                                                    "repetitions",  "threads",
                                                    "iterations",   "aggregate_unit",
                                                    "bytes"};
  std::set<std::string> names;
  for (const auto& row : file.rows)
    for (const auto& [name, number] : row.values)
      if (!std::isnan(number) && !positions.contains(*name))
        names.insert(common::printable_in_short(*name));
  return names;
}

class collector {
 public:
  collector(const metric& judged_by, bool is_ours) : judged_by_(judged_by), is_ours_(is_ours) {
    // The names of a row's values are printable, too.
    judged_by_.key = common::printable(judged_by_.key);
  }

  void add(std::size_t number, const row& row) {
    if (row.kind == result_file::row_kind::repetition)
      add_repetition(number, row);
    else if (!is_of_complexity(row.aggregate))
      static_cast<void>(benchmark_of(row));  // it may have nothing but aggregates
  }

  void finish(const contents& file, run& run) {
    for (auto& [view, rows] : benchmarks_) {
      const std::string name(view);
      check_indices(name, rows);
      auto benchmark = values_of(rows);
      if (run.ours) benchmark.limited_by = limited_by(*rows.described, run.on_host);
      if (benchmark.values.empty() && (benchmark.failed == 0 || rows.without > 0))
        run.unjudged.push_back(name);
      else if (rows.without > 0)
        refuse(name, fmt::format("only some of its repetitions have {}", judged_by_.key));
      else
        run.benchmarks.emplace(name, std::move(benchmark));
    }
    const auto has_values = [](const auto& entry) { return !entry.second.values.empty(); };
    if (std::ranges::any_of(run.benchmarks, has_values)) return;
    if (lacks_field_) refuse_field(file);
    if (!run.unjudged.empty())
      throw bad_input(
          "it has only aggregates; the repetitions are there when it is measured without "
          "--benchmark_report_aggregates_only");
    if (run.benchmarks.empty()) throw bad_input("it has no benchmarks");
  }

 private:
  [[noreturn]] void refuse_field(const contents& file) const {
    constexpr std::size_t most_named = 12;
    std::string known;
    std::size_t named = 0;
    for (const auto& name : possible_fields(file)) {
      if (named == most_named) known += ", ...";
      if (++named > most_named) break;
      known += (known.empty() ? "" : ", ") + name;
    }
    throw bad_input(
        fmt::format("none of its benchmarks has {}; they have {}", judged_by_.key, known));
  }

  void add_repetition(std::size_t number, const row& row) {
    auto& rows = benchmark_of(row);
    const auto bytes = entries_of(row, "bytes").first;
    if (bytes && *bytes > 0) {
      if (rows.bytes && *rows.bytes != *bytes)
        refuse(row.benchmark->name, "its repetitions move different numbers of bytes");
      rows.bytes = bytes;
    }
    const auto entries = entries_of(row, judged_by_.key);
    if (!row.failed && !entries.first && judged_by_.is_counter()) {
      ++rows.without;
      lacks_field_ = true;
      return;
    }
    const auto index = index_of(number, row, rows);
    std::optional<double> value;
    if (!row.failed) {
      value = value_of(row, entries, judged_by_);
      if (is_ours_) require_consistent(row);
    }
    rows.repetitions.push_back({index, value});
  }

  /// Older releases do not number repetitions and write those of a benchmark in a row.
  static std::int64_t index_of(std::size_t number, const row& row, benchmark_rows& rows) {
    if (row.repetition) return *row.repetition;
    if (rows.last_row != 0 && rows.last_row + 1 != number) refuse(row.benchmark->name, twice);
    rows.last_row = number;
    return static_cast<std::int64_t>(rows.repetitions.size());
  }

  static void check_indices(std::string_view name, benchmark_rows& rows) {
    std::ranges::stable_sort(rows.repetitions, {}, &repetition::index);
    if (std::ranges::adjacent_find(rows.repetitions, {}, &repetition::index) !=
        rows.repetitions.end())
      refuse(name, twice);
  }

  static benchmark_values values_of(const benchmark_rows& rows) {
    benchmark_values benchmark;
    benchmark.bytes = rows.bytes;
    for (const auto& repetition : rows.repetitions)
      if (repetition.value) benchmark.values.push_back(*repetition.value);
    benchmark.failed = rows.repetitions.size() - benchmark.values.size();
    return benchmark;
  }

  /// Most rows are of the same benchmark as the row before.
  benchmark_rows& benchmark_of(const row& row) {
    if (row.benchmark != last_benchmark_) {
      last_ = &benchmarks_[row.benchmark->name];
      last_->described = row.benchmark;
    }
    last_benchmark_ = row.benchmark;
    return *last_;
  }

  static constexpr const char* twice = "it is in the file twice";

  metric judged_by_;
  bool is_ours_;                                           ///< of bench_transfers
  std::map<std::string_view, benchmark_rows> benchmarks_;  ///< the names live as long as the rows
  const result_file::benchmark* last_benchmark_ = nullptr;
  benchmark_rows* last_ = nullptr;
  bool lacks_field_ = false;  ///< some repetition
};

std::uint64_t content_of(const run& run) {
  hash content;
  if (run.started) content.add(static_cast<std::uint64_t>(run.started->time_since_epoch().count()));
  for (const auto& [name, benchmark] : run.benchmarks) {
    content.add(std::string_view(name));
    content.add(benchmark.failed);
    content.add(benchmark.values.size());
    content.add(benchmark.values.data(), benchmark.values.size() * sizeof(double));
  }
  return content.value();
}

}  // namespace

void read_rows(const contents& file, const metric& judged_by, run& run) {
  collector collector(judged_by, run.ours);
  std::size_t number = 0;
  for (const auto& row : file.rows) collector.add(++number, row);
  collector.finish(file, run);
  run.content = content_of(run);
}

}  // namespace bench_transfers::gate
