#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "src/result_file/benchmark_class.hpp"

namespace bench_transfers::fleet {

/// The text of --help or --version.
struct help_request {
  std::string text;
};

struct collect_request {
  std::vector<std::filesystem::path> folders;
  std::filesystem::path out;
  std::optional<unsigned> within_hours;  ///< none: the usual
  std::string sweep;                     ///< id; empty: that of most files
};

struct judge_request {
  std::filesystem::path sweep;
  std::vector<std::filesystem::path> references;             ///< accepted sweeps
  std::vector<std::filesystem::path> history;                ///< folders and sweeps; may be empty
  std::filesystem::path json, markdown, junit, openmetrics;  ///< empty: none
  std::set<result_file::benchmark_class> decide_by{result_file::benchmark_class::link};
};

struct show_request {
  std::filesystem::path sweep;
  std::vector<std::filesystem::path> references;  ///< accepted sweeps
  std::optional<std::size_t> slowest;             ///< none: all GPUs
};

struct history_request {
  std::vector<std::filesystem::path> sweeps;      ///< folders and files
  std::vector<std::filesystem::path> references;  ///< accepted sweeps
  std::string gpu;                                ///< beginning of a UUID; empty: all
  std::filesystem::path json;
};

using any_request =
    std::variant<help_request, collect_request, judge_request, show_request, history_request>;

/// Throws common::usage_error.
any_request parse_command_line(int argc, const char* const* argv);

}  // namespace bench_transfers::fleet
