#include "src/result_file/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "src/common/text.hpp"
#include "src/result_file/entries.hpp"

namespace bench_transfers::result_file {
namespace {

using simdjson::dom::element;

/// Google Benchmark's own members of a row that are no values. Where one is there twice, the first
/// counts: counters, which have any name, come last.
struct members {
  std::optional<element> name, run_name, run_type, aggregate_name, repetition_index, time_unit,
      label, error_occurred, error_message, error_code, skipped, skip_message, disturbed, process,
      round;
};

constexpr std::array known_members{
    std::pair(std::string_view("name"), &members::name),
    std::pair(std::string_view("run_name"), &members::run_name),
    std::pair(std::string_view("run_type"), &members::run_type),
    std::pair(std::string_view("aggregate_name"), &members::aggregate_name),
    std::pair(std::string_view("repetition_index"), &members::repetition_index),
    std::pair(std::string_view("time_unit"), &members::time_unit),
    std::pair(std::string_view("label"), &members::label),
    std::pair(std::string_view("error_occurred"), &members::error_occurred),
    std::pair(std::string_view("error_message"), &members::error_message),
    std::pair(std::string_view("error_code"), &members::error_code),
    std::pair(std::string_view("skipped"), &members::skipped),
    std::pair(std::string_view("skip_message"), &members::skip_message),
    std::pair(std::string_view("disturbed"), &members::disturbed),
    std::pair(std::string_view("process"), &members::process),
    std::pair(std::string_view("round"), &members::round),
};

/// A key of rows: either a member of Google Benchmark's own or a value.
struct column {
  std::string_view key;
  std::optional<element> members::*known = nullptr;
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
bool is_true(std::string_view benchmark, const std::optional<element>& value, const char* key) {
  bool truth = false;
  if (value && !value->is_null() && value->get(truth) != simdjson::SUCCESS)
    refuse(benchmark, fmt::format("its {} is neither true nor false", key));
  return truth;
}

std::string message_of(std::string_view benchmark, const std::optional<element>& value,
                       const char* key) {
  if (value && !value->is_null() && !value->is_string())
    refuse(benchmark, fmt::format("its {} is no text", key));
  return common::printable(text_of(value));
}

/// Each of these members is looked at, whatever the others say. `skipped` is a truth in newer
/// releases of Google Benchmark; a counter may have that name, too.
std::optional<failure> failure_of(std::string_view benchmark, const members& row) {
  const bool is_counter = row.skipped && row.skipped->is_number();
  const bool error = is_true(benchmark, row.error_occurred, "error_occurred");
  const bool skipped = !is_counter && is_true(benchmark, row.skipped, "skipped");
  auto message = message_of(benchmark, row.error_message, "error_message");
  auto skip_message = message_of(benchmark, row.skip_message, "skip_message");
  if (!error && !skipped && message.empty() && skip_message.empty()) return std::nullopt;
  auto code = message_of(benchmark, row.error_code, "error_code");
  return failure{code.empty() ? "other" : std::move(code),
                 message.empty() ? std::move(skip_message) : std::move(message)};
}

std::optional<std::int64_t> repetition_of(std::string_view benchmark, const members& row) {
  if (!row.repetition_index) return std::nullopt;
  std::int64_t index = 0;
  if (row.repetition_index->get(index) != simdjson::SUCCESS || index < 0)
    refuse(benchmark, "its repetition_index is no whole number from 0 on");
  return index;
}

int process_of(std::string_view benchmark, const members& row) {
  constexpr std::int64_t most = 1'000'000;
  std::int64_t number = 1;
  if (row.process && (row.process->get(number) != simdjson::SUCCESS || number < 1 || number > most))
    refuse(benchmark, "its process is no whole number from 1 on");
  return static_cast<int>(number);
}

void require_round(std::string_view benchmark, const members& row) {
  std::int64_t number = 1;
  if (row.round && (row.round->get(number) != simdjson::SUCCESS || number < 1))
    refuse(benchmark, "its round is no whole number from 1 on");
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
    row.repetition = repetition_of(name, read);
    row.failed = failure_of(name, read);
    row.disturbed = disturbances_of(name, read);
    row.process = process_of(name, read);
    if (into_.is_bench_transfers()) require_round(name, read);
    if (row.process > into_.last_process)
      refuse(name, fmt::format("its process {} is none of the run's", row.process));
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
      const bool is_value =
          column.known == nullptr || (may_be_counter(column.known) && member.is_number());
      if (is_value)
        into_.values.push_back({column.name ? column.name : &value_name(key), number_in(member)});
      else if (!(read.*column.known))
        read.*column.known = member;
    }
    return read;
  }

  /// Members that other programs may have a counter of the same name for.
  [[nodiscard]] bool may_be_counter(std::optional<element> members::*known) const {
    if (known == &members::process || known == &members::round) return !into_.is_bench_transfers();
    return known == &members::skipped || known == &members::disturbed || known == &members::label;
  }

  /// Rows have their members in the same order: most keys are where they were in the row before.
  const column& column_at(std::size_t place, std::string_view key) {
    if (place < columns_.size() && columns_[place].key == key) return columns_[place];
    if (place >= columns_.size()) columns_.resize(place + 1);
    const auto known =
        std::ranges::find(known_members, key, [](const auto& pair) { return pair.first; });
    if (known == known_members.end()) return columns_[place] = {key, nullptr, &value_name(key)};
    return columns_[place] = {key, known->second, nullptr};
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

/// Removes the repetitions that do not count because the benchmark has less disturbed ones. Where
/// all of them are spoilt, they become failures with the code "disturbed".
void leave_out_disturbed(std::vector<row>& rows) {
  const auto is_measured = [](const row& candidate) {
    return candidate.kind == row_kind::repetition && !candidate.failed;
  };
  if (std::ranges::all_of(rows, [](const row& row) { return row.disturbed.empty(); })) return;
  std::unordered_map<const benchmark*, disturbance_degree> least;
  for (const auto& row : rows) {
    if (!is_measured(row)) continue;
    const auto degree = degree_of(row.disturbed);
    auto& known = least.try_emplace(row.benchmark, degree).first->second;
    known = std::min(known, degree);
  }
  std::erase_if(rows, [&](const row& row) {
    return is_measured(row) && degree_of(row.disturbed) > least.at(row.benchmark);
  });
  for (auto& row : rows)
    if (is_measured(row) && degree_of(row.disturbed) == disturbance_degree::spoilt)
      row.failed = failure{"disturbed", "every repetition was disturbed: its times are not true"};
}

}  // namespace

void read_rows(const simdjson::dom::array& rows, describe_benchmark describe, contents& into) {
  rows_reader(rows, describe, into).read();
  leave_out_disturbed(into.rows);
}

}  // namespace bench_transfers::result_file
