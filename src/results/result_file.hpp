#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace results {

/// A result file could not be written; what() is one line that names the file.
class write_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A result file while it grows: Google Benchmark's JSON, schema version 1
/// (google/benchmark, docs/user_guide.md, "Output Formats"), with our own data below
/// context.transfers. On disk there is always a whole, readable file: each version is written
/// beside the old one and takes its place by a rename.
class result_file {
 public:
  /// Writes the file at once, so that an unwritable path is known before anything is measured.
  /// An empty path keeps the content in memory only. Throws write_error.
  result_file(std::filesystem::path path, nlohmann::ordered_json context);

  /// Adds a row and writes the file, unless the last write was so recent that writing would take
  /// more than a twentieth of the time: then a later call does it. Throws write_error.
  void add(nlohmann::ordered_json row);

  /// Replaces context.transfers; written with the next row or finish().
  void set_facts(nlohmann::ordered_json facts);

  /// Writes everything, rows in the order of their benchmarks; with `aggregates_only`, of
  /// benchmarks that have aggregates only these. Throws write_error.
  void finish(bool aggregates_only = false);

  [[nodiscard]] const nlohmann::ordered_json& content() const noexcept { return content_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  void write();

  std::filesystem::path path_;
  nlohmann::ordered_json content_;
  std::chrono::steady_clock::time_point next_write_;
};

/// Text of a result file: rows one a line, so that versions can be compared by line.
/// Numbers that JSON cannot hold (NaN, infinity) become null.
std::string to_text(const nlohmann::ordered_json& content);

}  // namespace results
