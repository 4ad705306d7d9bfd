#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>

#include "src/result_file/format.hpp"

namespace bench_transfers::result_file {

/// Writes a growing result file: Google Benchmark's JSON, schema version 1
/// (google/benchmark, docs/user_guide.md, "Output Formats"), with our own data below
/// context.transfers. The file on disk is always complete and readable (common::write_whole).
class writer {
 public:
  /// Writes the file at once, so that an unwritable path fails before anything is measured. An
  /// empty path keeps the content in memory only. `rows`: those that the file has already. Throws
  /// common::write_error.
  writer(std::filesystem::path path, nlohmann::ordered_json context,
         nlohmann::ordered_json rows = nlohmann::ordered_json::array());

  /// Adds a row and writes the file, unless the last write was so recent that writing would take
  /// more than 5 % of the time; then a later call writes it. Throws common::write_error.
  void add(nlohmann::ordered_json row);

  /// Removes the rows of a benchmark and adds another one in their place; written with the next row
  /// or finish().
  void replace(const std::string& run_name, nlohmann::ordered_json row);

  /// Says what a counter of the rows means, in context.transfers.metrics; written with the next
  /// row. Throws std::logic_error where the name has got another description. It takes the place of
  /// those in the context that the file began with.
  void describe(const metric& counter);

  /// Changes context.transfers and the rows; written with the next row or finish().
  void revise(const std::function<void(nlohmann::ordered_json& facts,
                                       nlohmann::ordered_json& rows)>& change);

  /// Replaces context.transfers; written with the next row or finish().
  void set_facts(nlohmann::ordered_json facts);

  /// Writes everything, the repetitions of each benchmark together; benchmarks in the order given,
  /// others in order of their first rows. `aggregates_only` as for to_text. Throws
  /// common::write_error.
  void finish(bool aggregates_only = false, std::span<const std::string> order = {});

  [[nodiscard]] const nlohmann::ordered_json& content() const noexcept { return content_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  void write(bool aggregates_only = false);

  std::filesystem::path path_;
  nlohmann::ordered_json content_;
  std::set<std::string> described_;
  std::chrono::steady_clock::time_point next_write_;
};

/// Text of a result file, one row per line, so that diff can compare versions.
/// Numbers that JSON cannot hold (NaN, infinity) become null. With `aggregates_only`, benchmarks
/// that have aggregates are shown by these alone.
std::string to_text(const nlohmann::ordered_json& content, bool aggregates_only = false);

}  // namespace bench_transfers::result_file
