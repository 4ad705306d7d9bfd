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

namespace bench_transfers::gate {
namespace {

using result_file::contents;
using result_file::row;

[[noreturn]] void refuse(std::string_view benchmark, const std::string& why) {
  throw bad_input(fmt::format("benchmark {}: {}", common::printable_in_short(benchmark), why));
}

/// What a row has by one name.
struct entries {
  /// NaN: no number. The first one counts, because counters, which have any name, come last.
  std::optional<double> first;
  bool several = false;
};

entries entries_of(const row& row, std::string_view name) {
  entries read;
  for (const auto& value : row.values) {
    if (*value.name != name) continue;
    if (read.first)
      read.several = true;
    else
      read.first = value.number;
  }
  return read;
}

/// The time units of Google Benchmark (GetTimeUnitString).
std::optional<double> ns_per(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us") return 1e3;
  if (unit == "ms") return 1e6;
  if (unit == "s") return 1e9;
  return std::nullopt;
}

/// A time is in the unit of its row.
double ns_per_unit(const row& row) {
  const auto ns = ns_per(row.time_unit);
  if (!ns)
    refuse(row.benchmark->name, fmt::format("its time_unit is '{}', not ns, us, ms or s",
                                            common::printable_in_short(row.time_unit)));
  return *ns;
}

/// The value that the benchmark is judged by, of a repetition that has one.
double value_of(const row& row, const entries& judged, const metric& judged_by) {
  const auto& benchmark = row.benchmark->name;
  const auto& key = judged_by.key;
  if (judged.several) refuse(benchmark, fmt::format("a row has {} twice", key));
  if (!judged.first) refuse(benchmark, fmt::format("it has no {}", key));
  const double number = *judged.first;
  if (std::isnan(number)) refuse(benchmark, fmt::format("its {} is not a number", key));
  if (!(number > 0)) refuse(benchmark, fmt::format("its {} is {}", key, number));
  const double value = judged_by.is_counter() ? number : number * ns_per_unit(row);
  if (!judged_by.can_be(value))
    refuse(benchmark, fmt::format("its {} is {}{}, which nobody can have measured", key, value,
                                  judged_by.is_time() ? " " + judged_by.unit() : ""));
  return value;
}

/// A repetition without `repetition_index` has its place among the others instead.
struct repetition {
  std::int64_t index = 0;
  std::optional<double> value;  ///< none: it failed
};

struct collected {
  std::vector<repetition> repetitions;
  std::optional<double> bytes;
  std::size_t without = 0;   ///< repetitions that do not have the field judged by
  std::size_t last_row = 0;  ///< of those without index
};

/// Aggregates of sizes, not of repetitions (Google Benchmark, "Asymptotic Complexity").
bool is_of_complexity(std::string_view aggregate) {
  return aggregate.ends_with("BigO") || aggregate.ends_with("RMS");
}

/// Counters, and what else benchmarks could be judged by: numbers that no other row has as its
/// place. In short.
std::set<std::string> numbers_in(const contents& file) {
  static const std::set<std::string_view> places{"family_index", "per_family_instance_index",
                                                 "repetitions",  "threads",
                                                 "iterations",   "aggregate_unit",
                                                 "bytes"};
  std::set<std::string> names;
  for (const auto& row : file.rows)
    for (const auto& [name, number] : row.values)
      if (!std::isnan(number) && !places.contains(*name))
        names.insert(common::printable_in_short(*name));
  return names;
}

class collector {
 public:
  explicit collector(const metric& judged_by) : judged_by_(judged_by) {
    // As the names of a row's values are.
    judged_by_.key = common::printable(judged_by_.key);
  }

  void add(std::size_t number, const row& row) {
    if (row.kind == result_file::row_kind::repetition)
      add_repetition(number, row);
    else if (!is_of_complexity(row.aggregate))
      // Of a benchmark that has nothing else, this is all that is known.
      static_cast<void>(benchmark_of(row));
  }

  void finish(const contents& file, run& into) {
    for (auto& [view, all] : all_) {
      const std::string name(view);
      check_indices(name, all);
      auto benchmark = measured_of(all);
      if (benchmark.values.empty() && (benchmark.failed == 0 || all.without > 0))
        into.unjudged.push_back(name);
      else if (all.without > 0)
        refuse(name, fmt::format("only some of its repetitions have {}", judged_by_.key));
      else
        into.benchmarks.emplace(name, std::move(benchmark));
    }
    const auto has_values = [](const auto& entry) { return !entry.second.values.empty(); };
    if (std::ranges::any_of(into.benchmarks, has_values)) return;
    if (lacks_field_) refuse_field(file);
    if (!into.unjudged.empty())
      throw bad_input(
          "it has only aggregates; the repetitions are there when it is measured without "
          "--benchmark_report_aggregates_only");
    if (into.benchmarks.empty()) throw bad_input("it has no benchmarks");
  }

 private:
  [[noreturn]] void refuse_field(const contents& file) const {
    constexpr std::size_t most_named = 12;
    std::string known;
    std::size_t named = 0;
    for (const auto& name : numbers_in(file)) {
      if (named == most_named) known += ", ...";
      if (++named > most_named) break;
      known += (known.empty() ? "" : ", ") + name;
    }
    throw bad_input(
        fmt::format("none of its benchmarks has {}; they have {}", judged_by_.key, known));
  }

  void add_repetition(std::size_t number, const row& row) {
    auto& all = benchmark_of(row);
    const auto bytes = entries_of(row, "bytes").first;
    if (bytes && *bytes > 0 && !all.bytes) all.bytes = bytes;
    const auto judged = entries_of(row, judged_by_.key);
    if (!row.failed && !judged.first && judged_by_.is_counter()) {
      ++all.without;
      lacks_field_ = true;
      return;
    }
    const auto index = index_of(number, row, all);
    std::optional<double> value;
    if (!row.failed) value = value_of(row, judged, judged_by_);
    all.repetitions.push_back({index, value});
  }

  /// Older releases number no repetitions and write them one after the other.
  static std::int64_t index_of(std::size_t number, const row& row, collected& all) {
    if (row.repetition) return *row.repetition;
    if (all.last_row != 0 && all.last_row + 1 != number) refuse(row.benchmark->name, twice);
    all.last_row = number;
    return static_cast<std::int64_t>(all.repetitions.size());
  }

  static void check_indices(std::string_view name, collected& all) {
    std::ranges::stable_sort(all.repetitions, {}, &repetition::index);
    if (std::ranges::adjacent_find(all.repetitions, {}, &repetition::index) !=
        all.repetitions.end())
      refuse(name, twice);
  }

  static measured measured_of(const collected& all) {
    measured benchmark;
    benchmark.bytes = all.bytes;
    for (const auto& repetition : all.repetitions)
      if (repetition.value) benchmark.values.push_back(*repetition.value);
    benchmark.failed = all.repetitions.size() - benchmark.values.size();
    return benchmark;
  }

  /// Most often that of the row before.
  collected& benchmark_of(const row& row) {
    if (row.benchmark != last_benchmark_) last_ = &all_[row.benchmark->name];
    last_benchmark_ = row.benchmark;
    return *last_;
  }

  static constexpr const char* twice = "it is in the file twice";

  metric judged_by_;
  std::map<std::string_view, collected> all_;  ///< by names that live as long as the rows
  const result_file::benchmark* last_benchmark_ = nullptr;
  collected* last_ = nullptr;
  bool lacks_field_ = false;  ///< some benchmark
};

std::uint64_t content_of(const run& read) {
  hash content;
  if (read.started)
    content.add(static_cast<std::uint64_t>(read.started->time_since_epoch().count()));
  for (const auto& [name, benchmark] : read.benchmarks) {
    content.add(std::string_view(name));
    content.add(benchmark.failed);
    content.add(benchmark.values.size());
    content.add(benchmark.values.data(), benchmark.values.size() * sizeof(double));
  }
  return content.value();
}

}  // namespace

void read_rows(const contents& file, const metric& judged_by, run& into) {
  collector all(judged_by);
  std::size_t number = 0;
  for (const auto& row : file.rows) all.add(++number, row);
  all.finish(file, into);
  into.content = content_of(into);
}

}  // namespace bench_transfers::gate
