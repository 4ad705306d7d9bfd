#include "src/gate/io/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "src/common/text.hpp"
#include "src/gate/io/run_hashes.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/result_file/benchmark_class.hpp"
#include "src/result_file/contradictions.hpp"

namespace bench_transfers::gate {
namespace {

using result_file::contents;
using result_file::row;

[[noreturn]] void refuse(std::string_view benchmark, const std::string& why) {
  throw bad_input(fmt::format("benchmark {}: {}", common::printable_in_short(benchmark), why));
}

/// The value that the benchmark is judged by, of a repetition without an error.
double value_of(const row& row, const metric& judged_by) {
  const double number = result_file::positive(row, judged_by.key);
  const double value = judged_by.is_counter() ? number : number * result_file::ns_per_unit(row);
  if (!judged_by.can_be(value))
    refuse(row.benchmark->name,
           fmt::format("its {} is {}{}, which nobody can have measured", judged_by.key, value,
                       judged_by.is_time() ? " " + judged_by.unit() : ""));
  return value;
}

bool has(const row& row, std::string_view name) {
  return std::ranges::any_of(row.values, [&](const auto& value) { return *value.name == name; });
}

/// Without a `repetition_index`, the index is its position among the repetitions.
struct repetition {
  std::int64_t index = 0;
  std::optional<double> value;  ///< none: it failed
  // Of its operations, if the row has others than the value.
  std::optional<double> mean, fastest;
};

struct benchmark_rows {
  const result_file::benchmark* described = nullptr;
  std::vector<repetition> repetitions;
  std::optional<double> bytes;
  std::size_t without = 0;    ///< repetitions that lack the field judged by
  std::size_t disturbed = 0;  ///< repetitions that count only because all are disturbed
  std::size_t asked_for = 0;  ///< repetitions, as far as rows tell
  bool is_elsewhere = false;  ///< other processes of the run have it
  std::optional<gate::work> work = {};
};

/// Disturbed repetitions are left where a benchmark has no others (leave_out_disturbed).
bool is_disturbed(const row& row) {
  return !row.disturbed.empty() && (!row.failed || row.failed->code == "disturbed");
}

/// What one operation does, as Google Benchmark's own counters and the label tell.
work work_of(const row& row) {
  const auto amount_of = [&](const char* rate) -> std::optional<amount> {
    const auto per_second = row.number(rate);
    if (!per_second) return std::nullopt;
    const double ns = result_file::ns_per_unit(row);
    const auto by = [&](const char* time) {
      return *per_second * row.number(time).value_or(0) * ns / 1e9;
    };
    return amount{by("real_time"), by("cpu_time")};
  };
  return {.bytes = amount_of("bytes_per_second"),
          .items = amount_of("items_per_second"),
          .label = row.label};
}

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
  collector(const metric& judged_by, bool ours, const result_file::process_of_run& process)
      : judged_by_(judged_by), ours_(ours), process_(process) {
    // The names of a row's values are printable, too.
    judged_by_.key = common::printable(judged_by_.key);
  }

  void add(const row& row) {
    if (!process_.has(row.process)) return expect(row);
    if (row.kind == result_file::row_kind::repetition)
      add_repetition(row);
    else if (!is_of_complexity(row.aggregate))
      static_cast<void>(benchmark_of(row));  // it may have nothing but aggregates
  }

  void finish(const contents& file, run& run) {
    for (auto& [view, rows] : benchmarks_) {
      const std::string name(view);
      auto benchmark = values_of(rows);
      benchmark.lacks_means = ours_ && judged_by_.key == "real_time" && benchmark.means.empty();
      if (ours_) benchmark.limited_by = limited_by(*rows.described, run.on_host);
      benchmark.work = rows.work.value_or(work());
      const bool is_left_out = benchmark.failed > 0 || rows.disturbed > 0 || rows.is_elsewhere;
      if (benchmark.values.empty() && (!is_left_out || rows.without > 0))
        run.unjudged.push_back(name);
      else if (rows.without > 0)
        refuse(name, fmt::format("only some of its repetitions have {}", judged_by_.key));
      else
        run.benchmarks.emplace(name, std::move(benchmark));
    }
    const auto has_values = [](const auto& entry) { return !entry.second.values.empty(); };
    if (std::ranges::any_of(run.benchmarks, has_values)) return;
    if (lacks_field_) refuse_field(file);
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

  void ask_for(const row& row, benchmark_rows& rows) const {
    const auto asked_for = std::max(row.number("repetitions").value_or(0),
                                    static_cast<double>(row.repetition.value_or(-1)) + 1);
    rows.asked_for = std::max(rows.asked_for, repetitions_in(asked_for));
  }

  /// What another process of the run has measured, this one should have measured, too.
  void expect(const row& row) {
    if (row.kind != result_file::row_kind::repetition) return;
    auto& rows = benchmark_of(row);
    rows.is_elsewhere = true;
    ask_for(row, rows);
  }

  void add_repetition(const row& row) {
    auto& rows = benchmark_of(row);
    if (const auto bytes = row.number("bytes"); bytes && *bytes > 0) rows.bytes = bytes;
    ask_for(row, rows);
    if (!row.failed && judged_by_.is_counter() && !has(row, judged_by_.key)) {
      ++rows.without;
      lacks_field_ = true;
      return;
    }
    if (is_disturbed(row)) {
      ++rows.disturbed;
      return;
    }
    const auto position = static_cast<std::int64_t>(rows.repetitions.size());
    std::optional<double> value;
    if (!row.failed) {
      value = value_of(row, judged_by_);
      const auto done = ours_ ? work{.procedure = result_file::procedure_of(row)} : work_of(row);
      if (!rows.work)
        rows.work = done;
      else
        keep_common(*rows.work, done);
    }
    rows.repetitions.push_back({row.repetition.value_or(position), value, time_in(row, "mean_ns"),
                                time_in(row, "min_ns")});
  }

  /// Real times of bench_transfers are medians of operations.
  [[nodiscard]] std::optional<double> time_in(const row& row, std::string_view key) const {
    const auto time = ours_ && judged_by_.key == "real_time" ? row.number(key) : std::nullopt;
    return time && judged_by_.can_be(*time) ? time : std::nullopt;
  }

  static benchmark_values values_of(benchmark_rows& rows) {
    benchmark_values benchmark;
    std::ranges::stable_sort(rows.repetitions, {}, &repetition::index);
    benchmark.bytes = rows.bytes;
    for (const auto& repetition : rows.repetitions) {
      if (!repetition.value) continue;
      benchmark.values.push_back(*repetition.value);
      if (repetition.mean) benchmark.means.push_back(*repetition.mean);
    }
    benchmark.failed = rows.repetitions.size() - benchmark.values.size();
    benchmark.left_out = std::max(rows.asked_for, rows.repetitions.size() + rows.disturbed) -
                         rows.repetitions.size();
    if (benchmark.means.size() != benchmark.values.size()) benchmark.means.clear();
    const auto has_fastest = [](const repetition& r) { return !r.value || r.fastest; };
    if (std::ranges::all_of(rows.repetitions, has_fastest))
      for (const auto& repetition : rows.repetitions)
        if (repetition.value)
          benchmark.fastest =
              std::min(benchmark.fastest.value_or(*repetition.fastest), *repetition.fastest);
    return benchmark;
  }

  /// More than anybody asks for are not counted.
  [[nodiscard]] std::size_t repetitions_in(double number) const {
    constexpr double most = 1e6;
    const auto rounds = static_cast<int>(std::clamp(number, 0.0, most));
    return static_cast<std::size_t>(process_.own(rounds));
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

  metric judged_by_;
  bool ours_;
  const result_file::process_of_run& process_;
  std::map<std::string_view, benchmark_rows> benchmarks_;  ///< the names live as long as the rows
  const result_file::benchmark* last_benchmark_ = nullptr;
  benchmark_rows* last_ = nullptr;
  bool lacks_field_ = false;  ///< some repetition
};

}  // namespace

void read_rows(const contents& file, const metric& judged_by, run& run) {
  collector collector(judged_by, file.is_bench_transfers(), run.process);
  for (const auto& row : file.rows) collector.add(row);
  collector.finish(file, run);
  run.content = content_of(run);
  run.measurements = measurements_of(file, run.process);
}

}  // namespace bench_transfers::gate
