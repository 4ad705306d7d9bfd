#include "src/result_file/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "src/common/text.hpp"
#include "src/result_file/disturbed.hpp"
#include "src/result_file/entries.hpp"

namespace bench_transfers::result_file {
namespace {

using simdjson::dom::element;

/// Google Benchmark's own members of a row that are no values.
struct members {
  std::optional<element> name, run_name, run_type, aggregate_name, repetition_index, time_unit,
      label, error_occurred, error_message, error_code, skipped, skip_message, disturbed, process,
      round;
};

/// Whether a number of this name may be a counter instead: in no file, in another program's, or in
/// any.
enum class may_be_counter { never, foreign, always };

using member_pointer = std::optional<element> members::*;

struct known_member {
  std::string_view key;
  member_pointer member;
  may_be_counter counter = may_be_counter::never;
};

constexpr auto known_members = std::to_array<known_member>({
    {"name", &members::name},
    {"run_name", &members::run_name},
    {"run_type", &members::run_type},
    {"aggregate_name", &members::aggregate_name},
    {"repetition_index", &members::repetition_index},
    {"time_unit", &members::time_unit},
    {"label", &members::label, may_be_counter::always},
    {"error_occurred", &members::error_occurred},
    {"error_message", &members::error_message},
    {"error_code", &members::error_code},
    {"skipped", &members::skipped, may_be_counter::always},
    {"skip_message", &members::skip_message},
    {"disturbed", &members::disturbed, may_be_counter::always},
    {"process", &members::process, may_be_counter::foreign},
    {"round", &members::round, may_be_counter::foreign},
});

std::string_view key_of(member_pointer which) {
  return std::ranges::find(known_members, which, &known_member::member)->key;
}

/// A key of rows: either a member of Google Benchmark's own or a value.
struct column {
  std::string_view key;
  const known_member* known = nullptr;
  const std::string* name = nullptr;  ///< of a value, printable
};

[[noreturn]] void refuse(std::string_view benchmark, const std::string& why) {
  throw bad_benchmark(benchmark, why);
}

std::string_view text_of(const std::optional<element>& value) {
  std::string_view text;
  if (!value || value->get(text) != simdjson::SUCCESS) return {};
  return text;
}

/// What is not there is not true.
bool is_true(std::string_view benchmark, const members& row, member_pointer which) {
  const auto& value = row.*which;
  bool truth = false;
  if (value && !value->is_null() && value->get(truth) != simdjson::SUCCESS)
    refuse(benchmark, fmt::format("its {} is neither true nor false", key_of(which)));
  return truth;
}

std::string message_of(std::string_view benchmark, const members& row, member_pointer which) {
  const auto& value = row.*which;
  if (value && !value->is_null() && !value->is_string())
    refuse(benchmark, fmt::format("its {} is no text", key_of(which)));
  return common::printable(text_of(value));
}

/// Nothing if it is not there.
std::optional<std::int64_t> whole_number(std::string_view benchmark, const members& row,
                                         member_pointer which, std::int64_t least) {
  const auto& value = row.*which;
  if (!value) return std::nullopt;
  std::int64_t number = 0;
  if (value->get(number) != simdjson::SUCCESS || number < least)
    refuse(benchmark, fmt::format("its {} is no whole number from {} on", key_of(which), least));
  return number;
}

/// Each of these members is looked at, whatever the others say. `skipped` is a truth in newer
/// releases of Google Benchmark.
std::optional<failure> failure_of(std::string_view benchmark, const members& row) {
  const bool error = is_true(benchmark, row, &members::error_occurred);
  const bool skipped = is_true(benchmark, row, &members::skipped);
  auto message = message_of(benchmark, row, &members::error_message);
  auto skip_message = message_of(benchmark, row, &members::skip_message);
  if (!error && !skipped && message.empty() && skip_message.empty()) return std::nullopt;
  auto code = message_of(benchmark, row, &members::error_code);
  return failure{code.empty() ? "other" : std::move(code),
                 message.empty() ? std::move(skip_message) : std::move(message)};
}

/// A disturbance of a later version is one that slows.
std::set<disturbance> disturbances_of(std::string_view benchmark, const members& row) {
  std::set<disturbance> disturbed;
  if (!row.disturbed || row.disturbed->is_null()) return disturbed;
  simdjson::dom::array codes;
  if (row.disturbed->get(codes) != simdjson::SUCCESS) refuse(benchmark, "its disturbed is no list");
  for (const auto code : codes) {
    std::string_view word;
    if (code.get(word) != simdjson::SUCCESS)
      refuse(benchmark, "its disturbed has something that is no text");
    disturbed.insert(disturbance_from(std::string(word)).value_or(disturbance::other_load));
  }
  return disturbed;
}

/// Aggregates by their names, in files of releases before 1.5, whose rows have no `run_type`.
class old_aggregates {
 public:
  explicit old_aggregates(const simdjson::dom::array& rows) {
    for (const auto row : rows) {
      std::string_view name;
      if (row["run_type"].error() != simdjson::SUCCESS &&
          row["name"].get(name) == simdjson::SUCCESS)
        names_.emplace(name);
    }
  }

  /// The benchmark's name, where `name` is an aggregate's: its repetitions or another of its
  /// aggregates are there as well. Otherwise a benchmark is just called so.
  [[nodiscard]] std::optional<std::string_view> benchmark_of(std::string_view name) const {
    for (const auto suffix : suffixes) {
      if (!name.ends_with(suffix)) continue;
      const auto benchmark = name.substr(0, name.size() - suffix.size());
      const auto has_other = [&](std::string_view candidate) {
        return candidate != suffix && names_.contains(std::string(benchmark).append(candidate));
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

/// Fills the list of rows and the benchmarks that they point to.
class rows_reader {
 public:
  rows_reader(const simdjson::dom::array& rows, describe_benchmark describe, contents& into)
      : rows_(rows), old_(rows), describe_(describe), into_(into) {}

  void read() {
    reserve();
    for (const auto row : rows_) {
      simdjson::dom::object object;
      ++number_;
      if (row.get(object) != simdjson::SUCCESS)
        throw bad_entry(fmt::format("row {} of its benchmarks is no object", number_));
      add(object);
    }
  }

 private:
  /// Rows point to values, which must not move.
  void reserve() {
    std::size_t rows = 0, values = 0;
    for (const auto row : rows_) {
      simdjson::dom::object object;
      ++rows;
      if (row.get(object) == simdjson::SUCCESS)
        for ([[maybe_unused]] const auto field : object) ++values;
    }
    into_.rows.reserve(rows);
    into_.values.reserve(values);
  }

  void add(const simdjson::dom::object& object) {
    const auto first = into_.values.size();
    const auto read = members_of(object);
    const auto name = text_of(read.run_name ? read.run_name : read.name);
    if (name.empty()) throw bad_entry(fmt::format("row {} of its benchmarks has no name", number_));
    auto& row = into_.rows.emplace_back();
    row.values = std::span(into_.values).subspan(first);
    row.time_unit = common::printable(text_of(read.time_unit));
    row.label = common::printable(text_of(read.label));
    set_kind(row, name, read);
    if (row.kind == row_kind::aggregate) return;
    row.repetition = whole_number(name, read, &members::repetition_index, 0);
    row.failed = failure_of(name, read);
    row.disturbed = disturbances_of(name, read);
    const auto process = whole_number(name, read, &members::process, 1).value_or(row.process);
    if (into_.is_bench_transfers()) whole_number(name, read, &members::round, 1);  // only checked
    if (process > into_.last_process)
      refuse(name, fmt::format("its process {} is none of the run's", process));
    row.process = static_cast<int>(process);
  }

  void set_kind(row& row, std::string_view name, const members& read) {
    const auto type = text_of(read.run_type);
    const auto aggregated = read.run_type ? std::nullopt : old_.benchmark_of(name);
    if (read.run_type && type != "iteration" && type != "aggregate")
      refuse(name, fmt::format("its run_type is '{}', neither iteration nor aggregate",
                               common::printable_in_short(type)));
    row.benchmark = &benchmark_named(aggregated.value_or(name));
    if (!aggregated && type != "aggregate") return;
    row.kind = row_kind::aggregate;
    row.aggregate = common::printable(aggregated ? name : text_of(read.aggregate_name));
  }

  members members_of(const simdjson::dom::object& object) {
    members read;
    std::size_t place = 0;
    for (const auto& [key, member] : object) {
      const auto& column = column_at(place++, key);
      if (column.known == nullptr || (may_be_value(*column.known) && member.is_number()))
        into_.values.push_back({column.name ? column.name : &value_name(key), number_in(member)});
      else
        read.*column.known->member = member;
    }
    return read;
  }

  [[nodiscard]] bool may_be_value(const known_member& known) const {
    using enum may_be_counter;
    return known.counter == always || (known.counter == foreign && !into_.is_bench_transfers());
  }

  /// Rows have their members in the same order: most keys are where they were in the row before.
  const column& column_at(std::size_t place, std::string_view key) {
    if (place < columns_.size() && columns_[place].key == key) return columns_[place];
    if (place >= columns_.size()) columns_.resize(place + 1);
    const auto* const known = std::ranges::find(known_members, key, &known_member::key);
    if (known == known_members.end()) return columns_[place] = {key, nullptr, &value_name(key)};
    return columns_[place] = {key, known, nullptr};
  }

  static double number_in(const element& member) {
    double number = 0;
    if (member.get(number) == simdjson::SUCCESS) return number;
    return std::numeric_limits<double>::quiet_NaN();
  }

  const std::string& value_name(std::string_view key) {
    const auto entry = names_.find(key);
    if (entry != names_.end()) return *entry->second;
    const auto& name = *into_.value_names.emplace(common::printable(key)).first;
    names_.emplace(key, &name);
    return name;
  }

  /// Most often that of the row before.
  const benchmark& benchmark_named(std::string_view name) {
    if (name != last_name_) last_benchmark_ = &another_benchmark(name);
    last_name_ = name;
    return *last_benchmark_;
  }

  const benchmark& another_benchmark(std::string_view name) {
    const auto entry = benchmarks_.find(name);
    if (entry != benchmarks_.end()) return *entry->second;
    auto shown = common::printable(name);
    auto place = into_.benchmarks.find(shown);
    if (place == into_.benchmarks.end())
      place = into_.benchmarks.emplace(shown, describe_(shown)).first;
    benchmarks_.emplace(name, &place->second);
    return place->second;
  }

  simdjson::dom::array rows_;
  old_aggregates old_;
  describe_benchmark describe_;
  contents& into_;
  std::size_t number_ = 0;
  std::vector<column> columns_;
  std::string_view last_name_;  ///< never empty in a row
  const benchmark* last_benchmark_ = nullptr;
  // By the names in the file.
  std::unordered_map<std::string_view, const std::string*> names_;
  std::unordered_map<std::string_view, const benchmark*> benchmarks_;
};

}  // namespace

void read_rows(const simdjson::dom::array& rows, describe_benchmark describe, contents& into) {
  rows_reader(rows, describe, into).read();
  leave_out_disturbed(into.rows);
}

}  // namespace bench_transfers::result_file
