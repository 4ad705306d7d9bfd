#include "src/gate/io/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <unordered_set>

#include "src/common/printable.hpp"
#include "src/gate/io/hash.hpp"
#include "src/gate/model/bad_input.hpp"

namespace bench_transfers::gate {
namespace {

using simdjson::dom::element;

[[noreturn]] void refuse(std::string_view benchmark, const std::string& why) {
  throw bad_input(fmt::format("benchmark {}: {}", common::printable_in_short(benchmark), why));
}

/// What a row says, as far as it matters here; where a key is there twice, the first one counts,
/// because counters, which have any name, come last.
struct row {
  std::optional<element> name, run_name, run_type, aggregate_name, index, unit, judged, bytes,
      error_occurred, error_message, skipped, skip_message;
  bool judged_twice = false;
};

row row_of(const simdjson::dom::object& object, const metric& judged_by) {
  row read;
  const std::array known{
      std::pair(std::string_view("name"), &row::name),
      std::pair(std::string_view("run_name"), &row::run_name),
      std::pair(std::string_view("run_type"), &row::run_type),
      std::pair(std::string_view("aggregate_name"), &row::aggregate_name),
      std::pair(std::string_view("repetition_index"), &row::index),
      std::pair(std::string_view("time_unit"), &row::unit),
      std::pair(std::string_view("bytes"), &row::bytes),
      std::pair(std::string_view("error_occurred"), &row::error_occurred),
      std::pair(std::string_view("error_message"), &row::error_message),
      std::pair(std::string_view("skipped"), &row::skipped),
      std::pair(std::string_view("skip_message"), &row::skip_message),
  };
  for (const auto& [key, value] : object) {
    if (key == judged_by.key) {
      read.judged_twice = read.judged.has_value();
      if (!read.judged) read.judged = value;
    }
    for (const auto& [known_key, place] : known)
      if (key == known_key && !(read.*place)) read.*place = value;
  }
  return read;
}

std::string_view text_of(const std::optional<element>& value) {
  std::string_view text;
  if (value && value->get(text) != simdjson::SUCCESS) return {};
  return text;
}

std::optional<double> number_of(const std::optional<element>& value) {
  double number = 0;
  if (!value || value->get(number) != simdjson::SUCCESS) return std::nullopt;
  return number;
}

/// Of a repetition; what is not there is not true.
bool is_true(std::string_view benchmark, const std::optional<element>& value, const char* key) {
  bool truth = false;
  if (value && !value->is_null() && value->get(truth) != simdjson::SUCCESS)
    refuse(benchmark, fmt::format("its {} is neither true nor false", key));
  return truth;
}

bool has_text(std::string_view benchmark, const std::optional<element>& value, const char* key) {
  if (value && !value->is_null() && !value->is_string())
    refuse(benchmark, fmt::format("its {} is not a text", key));
  return !text_of(value).empty();
}

/// Each of these fields is looked at, whatever the others say, as by the report. `skipped` is a
/// truth in newer releases of Google Benchmark; a counter may have that name, too.
bool has_failed(std::string_view benchmark, const row& one) {
  const bool is_counter = one.skipped && one.skipped->is_number();
  const bool error = is_true(benchmark, one.error_occurred, "error_occurred");
  const bool skipped = !is_counter && is_true(benchmark, one.skipped, "skipped");
  const bool says_error = has_text(benchmark, one.error_message, "error_message");
  const bool says_skipped = has_text(benchmark, one.skip_message, "skip_message");
  return error || skipped || says_error || says_skipped;
}

/// The time units of Google Benchmark (GetTimeUnitString).
std::optional<double> ns_per(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us") return 1e3;
  if (unit == "ms") return 1e6;
  if (unit == "s") return 1e9;
  return std::nullopt;
}

/// The value that the benchmark is judged by, of a repetition that has one.
double value_of(std::string_view benchmark, const row& one, const metric& judged_by) {
  const auto& key = judged_by.key;
  if (one.judged_twice) refuse(benchmark, fmt::format("a row has {} twice", key));
  if (!one.judged) refuse(benchmark, fmt::format("it has no {}", key));
  const auto number = number_of(one.judged);
  if (!number) refuse(benchmark, fmt::format("its {} is not a number", key));
  if (!(*number > 0)) refuse(benchmark, fmt::format("its {} is {}", key, *number));
  double value = *number;
  if (!judged_by.is_counter()) {
    const auto unit = text_of(one.unit);
    const auto ns = ns_per(unit);
    if (!ns)
      refuse(benchmark, fmt::format("its time_unit is '{}', not ns, us, ms or s",
                                    common::printable_in_short(unit)));
    value *= *ns;
  }
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

/// Aggregates by their names, in files of releases before 1.5, whose rows have no `run_type`.
class old_aggregates {
 public:
  void add(std::string_view name) { names_.emplace(name); }

  /// The benchmark's name, where `name` is an aggregate's: its repetitions or another of its
  /// aggregates are there as well. Otherwise a benchmark is just called so.
  [[nodiscard]] std::optional<std::string_view> benchmark_of(std::string_view name) const {
    for (const auto suffix : suffixes) {
      if (!name.ends_with(suffix)) continue;
      const auto benchmark = name.substr(0, name.size() - suffix.size());
      const auto has_other = [&](std::string_view other) {
        return other != suffix && names_.contains(std::string(benchmark).append(other));
      };
      if (names_.contains(std::string(benchmark)) || std::ranges::any_of(suffixes, has_other))
        return benchmark;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::array<std::string_view, 6> suffixes{"_mean", "_median", "_stddev",
                                                            "_cv",   "_BigO",   "_RMS"};
  std::unordered_set<std::string> names_;
};

/// Aggregates of sizes, not of repetitions (Google Benchmark, "Asymptotic Complexity").
bool is_of_complexity(std::string_view aggregate) {
  return aggregate.ends_with("BigO") || aggregate.ends_with("RMS");
}

/// Counters, and what else benchmarks could be judged by: numbers that no other row has as its
/// place.
std::set<std::string> numbers_in(const simdjson::dom::array& rows) {
  static const std::set<std::string_view> places{"family_index",   "per_family_instance_index",
                                                 "repetitions",    "repetition_index",
                                                 "threads",        "iterations",
                                                 "aggregate_unit", "bytes"};
  std::set<std::string> found;
  for (const auto one : rows) {
    simdjson::dom::object object;
    if (one.get(object) != simdjson::SUCCESS) continue;
    for (const auto& [key, value] : object)
      if (number_of(value) && !places.contains(key)) found.insert(common::printable_in_short(key));
  }
  return found;
}

class collector {
 public:
  collector(const metric& judged_by, const old_aggregates& old)
      : judged_by_(judged_by), old_aggregates_(old) {}

  void add(std::size_t number, const row& one) {
    const auto name = text_of(one.run_name ? one.run_name : one.name);
    if (name.empty()) throw bad_input(fmt::format("row {} of its benchmarks has no name", number));
    const auto type = text_of(one.run_type);
    if (!one.run_type)
      add_old(number, name, one);
    else if (type == "iteration")
      add_repetition(number, name, one);
    else if (type == "aggregate")
      add_aggregate(name, text_of(one.aggregate_name));
    else
      refuse(name, fmt::format("its run_type is '{}', neither iteration nor aggregate",
                               common::printable_in_short(type)));
  }

  void finish(const simdjson::dom::array& rows, run& into) {
    for (auto& [name, all] : all_) {
      check_indices(name, all);
      auto one = measured_of(all);
      if (one.values.empty() && (one.failed == 0 || all.without > 0))
        into.unjudged.push_back(name);
      else if (all.without > 0)
        refuse(name, fmt::format("only some of its repetitions have {}", judged_by_.key));
      else
        into.benchmarks.emplace(name, std::move(one));
    }
    const auto has_values = [](const auto& one) { return !one.second.values.empty(); };
    if (std::ranges::any_of(into.benchmarks, has_values)) return;
    if (lacks_field_) refuse_field(rows);
    if (!into.unjudged.empty())
      throw bad_input(
          "it has only aggregates; the repetitions are there when it is measured without "
          "--benchmark_report_aggregates_only");
    if (into.benchmarks.empty()) throw bad_input("it has no benchmarks");
  }

 private:
  [[noreturn]] void refuse_field(const simdjson::dom::array& rows) const {
    constexpr std::size_t most_named = 12;
    std::string known;
    std::size_t named = 0;
    for (const auto& one : numbers_in(rows)) {
      if (named == most_named) known += ", ...";
      if (++named > most_named) break;
      known += (known.empty() ? "" : ", ") + one;
    }
    throw bad_input(
        fmt::format("none of its benchmarks has {}; they have {}", judged_by_.key, known));
  }

  void add_old(std::size_t number, std::string_view name, const row& one) {
    if (const auto benchmark = old_aggregates_.benchmark_of(name))
      add_aggregate(*benchmark, name);
    else
      add_repetition(number, name, one);
  }

  /// Of a benchmark that has nothing else, this is all that is known.
  void add_aggregate(std::string_view benchmark, std::string_view aggregate) {
    if (!is_of_complexity(aggregate)) static_cast<void>(of(benchmark));
  }

  void add_repetition(std::size_t number, std::string_view name, const row& one) {
    auto& all = of(name);
    if (const auto bytes = number_of(one.bytes); bytes && *bytes > 0 && !all.bytes)
      all.bytes = bytes;
    const bool failed = has_failed(name, one);
    if (!failed && !one.judged && judged_by_.is_counter()) {
      ++all.without;
      lacks_field_ = true;
      return;
    }
    const auto index = index_of(number, name, one, all);
    all.repetitions.push_back(
        {index, failed ? std::nullopt : std::optional(value_of(name, one, judged_by_))});
  }

  /// Older releases number no repetitions and write them one after the other.
  static std::int64_t index_of(std::size_t number, std::string_view name, const row& one,
                               collected& all) {
    std::int64_t index = 0;
    if (one.index) {
      if (one.index->get(index) != simdjson::SUCCESS || index < 0)
        refuse(name, "its repetition_index is not a whole number from 0 on");
      return index;
    }
    if (all.last_row != 0 && all.last_row + 1 != number) refuse(name, twice);
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
    measured one;
    one.bytes = all.bytes;
    for (const auto& repetition : all.repetitions)
      if (repetition.value) one.values.push_back(*repetition.value);
    one.failed = all.repetitions.size() - one.values.size();
    return one;
  }

  collected& of(std::string_view benchmark) { return all_[common::printable(benchmark)]; }

  static constexpr const char* twice = "it is in the file twice";

  const metric& judged_by_;
  const old_aggregates& old_aggregates_;
  std::map<std::string, collected> all_;
  bool lacks_field_ = false;  ///< some benchmark
};

std::uint64_t content_of(const run& read) {
  hash content;
  if (read.started)
    content.add(static_cast<std::uint64_t>(read.started->time_since_epoch().count()));
  for (const auto& [name, one] : read.benchmarks) {
    content.add(std::string_view(name));
    content.add(one.failed);
    content.add(one.values.size());
    content.add(one.values.data(), one.values.size() * sizeof(double));
  }
  return content.value();
}

}  // namespace

void read_rows(const element& document, const metric& judged_by, run& into) {
  simdjson::dom::array rows;
  if (document["benchmarks"].get(rows) != simdjson::SUCCESS)
    throw bad_input("it is not a result file: it has no list of benchmarks");
  old_aggregates old;
  for (const auto one : rows) {
    std::string_view name;
    if (one["run_type"].error() != simdjson::SUCCESS && one["name"].get(name) == simdjson::SUCCESS)
      old.add(name);
  }
  collector all(judged_by, old);
  std::size_t number = 0;
  for (const auto one : rows) {
    simdjson::dom::object object;
    ++number;
    if (one.get(object) != simdjson::SUCCESS)
      throw bad_input(fmt::format("row {} of its benchmarks is not an object", number));
    all.add(number, row_of(object, judged_by));
  }
  all.finish(rows, into);
  into.content = content_of(into);
}

}  // namespace bench_transfers::gate
