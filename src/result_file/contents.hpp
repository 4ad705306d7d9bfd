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
#include "src/result_file/processes.hpp"

// The contents of a result file, in types.
// All texts are printable (common/printable.hpp).

namespace bench_transfers::result_file {

/// A numeric member of a row: real_time, a counter.
struct value {
  const std::string* name;  ///< lives as long as the contents
  double number;            ///< NaN if the member is no number
};

struct failure {
  std::string code;     ///< "wrong_data"; "other" if the file does not say
  std::string message;  ///< one line; may be empty
};

enum class row_kind { repetition, aggregate };

struct row {
  const result_file::benchmark* benchmark = nullptr;  ///< one of contents::benchmarks
  row_kind kind = row_kind::repetition;
  std::string aggregate;                   ///< "median"
  std::optional<std::int64_t> repetition;  ///< from 0; none in files of old releases
  std::optional<failure> failed;           ///< of repetitions
  std::set<disturbance> disturbed;         ///< likewise
  int process = 1;                         ///< that measured it, from 1
  std::string time_unit;                   ///< of real_time and cpu_time
  std::string label;                       ///< of other programs; may be empty
  std::span<const value> values;           ///< in the file's order; a name may occur several times

  /// The first value of this name that is a number.
  [[nodiscard]] std::optional<double> number(std::string_view name) const;
};

/// A requested benchmark that could not run.
struct skipped_benchmark {
  std::string name;
  common::message reason;
};

/// Can be moved but not copied, because rows point to other members.
struct contents {
  contents() = default;
  contents(contents&&) = default;
  contents& operator=(contents&&) = default;
  contents(const contents&) = delete;
  contents& operator=(const contents&) = delete;
  ~contents() = default;

  /// Google Benchmark's own context, without `transfers`.
  nlohmann::ordered_json context;
  /// context.transfers without benchmarks, roles and metrics. Null if the file is another
  /// program's.
  nlohmann::ordered_json facts;
  bool on_host = false;   ///< measured without a GPU
  bool complete = true;   ///< the run has reached its end; one in parts, its last part
  std::size_t parts = 1;  ///< in which the run was measured, each going on with those before
  int last_process = 1;   ///< the highest number that rows may have
  int processes = 1;      ///< that have measured it, in turn; rows of one resumed may have more
  std::vector<common::message> warnings;
  std::vector<skipped_benchmark> skipped;
  std::map<std::string, benchmark> benchmarks;  ///< at least those of the rows
  std::map<std::string, role> roles;            ///< at least those of the benchmarks
  std::map<std::string, metric> metrics;        ///< of counters
  std::vector<row> rows;  ///< without the repetitions that do not count (disturbance_degree)

  // Rows point to these.
  std::set<std::string, std::less<>> value_names;
  std::vector<value> values;

  [[nodiscard]] bool is_bench_transfers() const { return facts.is_object(); }
  [[nodiscard]] const role& role_of(const benchmark& described) const {
    return roles.at(described.role);
  }
};

/// Those that have measured a file: of an incomplete one, up to the last that has rows.
std::vector<process_of_run> processes_of(const contents& read);

/// What an answer needs of a file.
enum class needed {
  a_plan,        ///< what was to be measured; perhaps nothing of it has been
  a_repetition,  ///< one of any benchmark, if only to tell that it has failed
  a_time         ///< a repetition that has not failed, with its median time
};

/// What the contents lack of it, in words: "it has no benchmarks". Empty if they have it.
std::string lacks(needed what, const contents& read);

using common::member;

/// The same, printable; empty if it is no text.
std::string text_at(const nlohmann::ordered_json& object, std::initializer_list<const char*> keys);

/// What the file says of a device; null if it is another program's.
const nlohmann::ordered_json& device_of(const contents& read, std::size_t index);

/// Whether confidential computing was on in a device: then each byte is encrypted on its way. False
/// if the file does not say.
bool is_confidential(const contents& read, std::size_t index);

/// What the command line of the run called a device: "cuda:1"; its number in files without ids.
std::string id_of_device(const contents& read, std::size_t index);

}  // namespace bench_transfers::result_file
