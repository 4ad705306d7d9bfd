#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "src/gate/judge/answer.hpp"
#include "src/gate/model/metric.hpp"
#include "src/gate/model/pin.hpp"

namespace bench_transfers::gate {

using paths = std::vector<std::filesystem::path>;

/// The text of --help or --version.
struct help_request {
  std::string text;
};

/// --judge-by and --of-repetitions.
struct metric_request {
  metric judged_by;
  /// The name or the user says whether more or less is better. Otherwise, the files must.
  bool has_direction = true;
  bool user_chose_direction = false;  ///< whatever the files declare
};

struct pin_request {
  paths runs;
  std::filesystem::path out;
  metric_request judged_by;
  pin_permissions permissions;
  std::filesystem::path replaces;  ///< empty: `out`, if it is a baseline
  bool new_line = false;           ///< forget the first baseline of the line
};

struct check_request {
  std::filesystem::path baseline;
  paths runs;
  gate::question question;
  std::filesystem::path markdown, junit, json;  ///< empty: none
  std::string confirm;                          ///< "COMMAND_A,COMMAND_B"; empty: none
  bool all = false;                             ///< also list benchmarks that are the same
  bool dry_run = false;                         ///< without runs: only check the other options
};

struct power_request {
  std::filesystem::path baseline;
  std::size_t new_runs = 3;
  gate::limits limits;
};

struct show_request {
  paths runs;
  metric_request judged_by;
};

struct history_request {
  std::filesystem::path baseline;
  paths runs;
  gate::question question;  ///< its limits, the classes that decide, and what may differ
  std::filesystem::path json;
};

using any_request = std::variant<help_request, pin_request, check_request, power_request,
                                 show_request, history_request>;

/// Throws usage_error for an invalid command line.
any_request parse_command_line(int argc, const char* const* argv);

/// "2%" or "2 %" as a part: 0.02. A number without the sign is refused, because 2 and 0.02 could
/// mean the same. Throws usage_error, which names the option, unless it lies between the
/// percentages `least` and `most`.
double parse_percentage(const std::string& option, const std::string& text, double least,
                        double most);

}  // namespace bench_transfers::gate
