#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/advice/alternatives.hpp"
#include "src/advice/measurements.hpp"
#include "src/advice/ranking.hpp"
#include "src/result_file/format.hpp"

namespace bench_transfers::advice {

/// What was asked of a job, and the answer.
struct ranked_job {
  const alternatives* job;
  cost_model model;
  advice::question question;
  ranking ranked;  ///< not empty
  /// What memory costs is not in the sum, because with it one strategy at most could be ranked.
  bool without_memory = false;
};

/// A job of which nothing can be ranked.
struct unranked_job {
  const alternatives* job;
  std::string code;    ///< "all_failed", "no_times", or that of its first strategy
  std::string reason;  ///< in words
};

/// The answers about a role: its jobs in the directions asked for. Refers to the jobs.
struct role_answers {
  std::vector<ranked_job> ranked;
  std::vector<unranked_job> left_out;

  /// Each row of the file once.
  [[nodiscard]] ignored_rows ignored() const;
};

/// Ranks jobs, which must outlive the answers. `ask` returns what is asked in a direction; nullopt:
/// nothing.
role_answers answers_about(
    const std::vector<alternatives>& jobs,
    const std::function<std::optional<question>(result_file::direction)>& ask);

/// What a file has for answers.
struct file_for_answers {
  measurements copies;
  std::vector<alternatives> jobs;    ///< of the role asked for; none of copies
  std::vector<rankable_role> roles;  ///< that can be asked for, besides copies
  std::string lacks;                 ///< result_file::lacks of a time
};

/// An empty id stands for the first device. `lines`: of the host when copies begin. Throws
/// result_file::unusable_file if the file cannot be read, is another program's, or has no such
/// device.
file_for_answers read_for_answers(const std::filesystem::path& file, const std::string& device,
                                  const std::string& role, double reads,
                                  result_file::cache_state lines);

}  // namespace bench_transfers::advice
