#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>

namespace results {

/// A result file could not be written; what() is one line that names the file.
class write_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// From now on a write beyond the limit on the size of files fails, as on a full disk, instead of
/// ending the program by SIGXFSZ.
void let_oversized_writes_fail();

/// Throws write_error unless a file can be put at `path`: its folder exists and can be written to,
/// and what is there already, if anything, is a regular file (a device must not be replaced).
void require_writable(const std::filesystem::path& path);

/// Puts a file with this text at `path`, whole or not at all: it is written to a new file of its
/// own beside it, "<name>.<8 digits>.part", and takes the place of an older one by a rename. A link
/// is followed. Throws write_error.
void write_whole(const std::filesystem::path& path, const std::string& text);

/// A result file while it grows: Google Benchmark's JSON, schema version 1
/// (google/benchmark, docs/user_guide.md, "Output Formats"), with our own data below
/// context.transfers. On disk there is always a whole, readable file (write_whole).
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

  /// Writes everything, the repetitions of each benchmark together; benchmarks in the order given,
  /// others as they came first. `aggregates_only` as for to_text. Throws write_error.
  void finish(bool aggregates_only = false, std::span<const std::string> order = {});

  [[nodiscard]] const nlohmann::ordered_json& content() const noexcept { return content_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  void write(bool aggregates_only = false);

  std::filesystem::path path_;
  nlohmann::ordered_json content_;
  std::chrono::steady_clock::time_point next_write_;
};

/// Text of a result file: rows one a line, so that versions can be compared by line.
/// Numbers that JSON cannot hold (NaN, infinity) become null. With `aggregates_only`, benchmarks
/// that have aggregates are shown by these alone.
std::string to_text(const nlohmann::ordered_json& content, bool aggregates_only = false);

}  // namespace results
