#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/common/message.hpp"
#include "src/result_file/format.hpp"

// What a result file says, in types. Whatever format the file has, it is seen as one of format 2.
// All texts are printable (common/printable.hpp).

namespace bench_transfers::result_file {

/// A member of a row that is no text of Google Benchmark's own: real_time, a counter.
struct value {
  const std::string* name;  ///< lives as long as the contents
  double number;            ///< NaN: there, but no number
};

struct failure {
  std::string code;     ///< "wrong_data"; "other" where the file does not say
  std::string message;  ///< one line; may be empty
};

enum class row_kind { repetition, aggregate };

struct row {
  const result_file::benchmark* benchmark = nullptr;  ///< one of contents::benchmarks
  row_kind kind = row_kind::repetition;
  std::string aggregate;                   ///< "median"
  std::optional<std::int64_t> repetition;  ///< from 0; none in files of old releases
  std::optional<failure> failed;           ///< of repetitions
  std::string time_unit;                   ///< of real_time and cpu_time
  std::span<const value> values;  ///< in the file's order; a name may be there several times

  /// The first value of this name that is a number.
  [[nodiscard]] std::optional<double> number(std::string_view name) const;
};

/// A benchmark that was asked for and could not run.
struct skipped_benchmark {
  std::string name;
  common::message reason;
};

/// Rows point into the rest, so it is moved, never copied.
struct contents {
  contents() = default;
  contents(contents&&) = default;
  contents& operator=(contents&&) = default;
  contents(const contents&) = delete;
  contents& operator=(const contents&) = delete;
  ~contents() = default;

  /// Google Benchmark's own context, without `transfers`.
  nlohmann::ordered_json context;
  /// context.transfers as format 2 has it, but for benchmarks, roles and metrics. Null: the file is
  /// another program's.
  nlohmann::ordered_json facts;
  int format = 0;        ///< as the file itself has it; 0: another program's
  bool on_host = false;  ///< measured without a GPU
  bool complete = true;  ///< the run has ended by itself
  std::vector<common::message> warnings;
  std::vector<skipped_benchmark> skipped;
  std::map<std::string, benchmark> benchmarks;  ///< at least those of the rows
  std::map<std::string, role> roles;            ///< at least those of the benchmarks
  std::map<std::string, metric> metrics;        ///< of counters
  std::vector<row> rows;

  // What rows point to.
  std::set<std::string, std::less<>> value_names;
  std::vector<value> values;

  [[nodiscard]] bool is_bench_transfers() const { return facts.is_object(); }
  [[nodiscard]] const role& role_of(const benchmark& described) const {
    return roles.at(described.role);
  }
};

/// A member of nested objects; null where there is none.
const nlohmann::ordered_json& member(const nlohmann::ordered_json& object,
                                     std::initializer_list<const char*> keys);

/// The same, printable; empty where it is no text.
std::string text_at(const nlohmann::ordered_json& object, std::initializer_list<const char*> keys);

}  // namespace bench_transfers::result_file
