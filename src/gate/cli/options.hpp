#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "src/gate/judge/check.hpp"
#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

/// Wrong use of the command line; what() is one line for the user.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using paths = std::vector<std::filesystem::path>;

/// Text asked for instead of work (--help, --version).
struct help_request {
  std::string text;
};

struct pin_request {
  paths runs;
  std::filesystem::path out;
  metric judged_by;
  std::set<std::string> allow_different;
};

struct check_request {
  std::filesystem::path baseline;
  paths runs;
  question asked;
  std::filesystem::path markdown, junit, json;  ///< empty: none
  std::string confirm;                          ///< "COMMAND_A,COMMAND_B"; empty: do not
  bool all = false;                             ///< list also what is the same
};

struct power_request {
  std::filesystem::path baseline;
  std::size_t new_runs = 3;
  limits allowed;
};

struct show_request {
  paths runs;
  metric judged_by;
};

using request = std::variant<help_request, pin_request, check_request, power_request, show_request>;

/// Throws usage_error for whatever is wrong.
request parse_command_line(int argc, const char* const* argv);

/// "2%" or "2 %" as a part: 0.02. A number without the sign is refused: 2 and 0.02 could mean the
/// same. Throws usage_error, which names the option, unless it lies between the percentages given.
double parse_percentage(const std::string& option, const std::string& text, double least,
                        double most);

}  // namespace bench_transfers::gate
