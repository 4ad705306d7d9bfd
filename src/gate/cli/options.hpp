#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "src/command/command.hpp"
#include "src/gate/judge/answer.hpp"
#include "src/gate/model/metric.hpp"

namespace bench_transfers::gate {

using paths = std::vector<std::filesystem::path>;

inline constexpr std::size_t most_runs = 1000;

/// --judge-by and --of-repetitions.
struct metric_request {
  metric judged_by;
  /// The name or the user says whether more or less is better. Otherwise, the files must.
  bool has_direction = true;
  bool user_chose_direction = false;  ///< whatever the files declare
};

// Options that several commands take. Parsing throws usage_error.
void add_baseline(CLI::App& command, std::filesystem::path& baseline,
                  const char* description = "made by pin");
CLI::Option& add_runs(CLI::App& command, paths& runs);
void add_metric(CLI::App& command, metric_request& request);
void add_allow_different(CLI::App& command, std::set<std::string>& keys);
void add_limits(CLI::App& command, limits& limits);
void add_decide_by(CLI::App& command, question& question);

// Values that the shell offers for them.
commands::offers metrics_offered();
commands::offers classes_offered();

/// "2%" or "2 %" as a part: 0.02. A number without the sign is refused, because 2 and 0.02 could
/// mean the same. Throws usage_error, which names the option, unless it lies between the
/// percentages `least` and `most`.
double parse_percentage(const std::string& option, const std::string& text, double least,
                        double most);

}  // namespace bench_transfers::gate
