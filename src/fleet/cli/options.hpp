#pragma once

#include <filesystem>
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
  unsigned within_hours = 12;
};

struct judge_request {
  std::filesystem::path sweep;
  std::filesystem::path json;  ///< empty: none
  std::set<result_file::benchmark_class> decide_by{result_file::benchmark_class::link};
};

struct show_request {
  std::filesystem::path sweep;
};

using any_request = std::variant<help_request, collect_request, judge_request, show_request>;

/// Throws common::usage_error.
any_request parse_command_line(int argc, const char* const* argv);

}  // namespace bench_transfers::fleet
