#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/advice/measurements.hpp"
#include "src/advice/ranking.hpp"
#include "src/result_file/format.hpp"

namespace bench_transfers::advice {

/// What a strategy costs besides time, by the names of metrics: "cores", "bulk_loss_percent".
using price_list = std::map<std::string, double>;

/// Strategies that do the same job: benchmarks of one role and direction, and of one value of the
/// field that tells the role's jobs apart.
struct alternatives {
  std::string role;
  std::optional<std::string> job;  ///< that value: "cold"
  result_file::direction direction = result_file::direction::none;
  std::string time;  ///< the counter by which they are ranked: "median_ns"
  double reads = 0;  ///< of the memory, afterwards: in the times
  std::vector<std::string> families;
  advice::measurements measured;               ///< its transfers are those of the job
  std::vector<double> sizes;                   ///< at which any of them was measured, in bytes
  std::map<std::string, std::string> in_turn;  ///< forms timed in turn, and what they are

  /// By strategy, of the measured size next to this one.
  [[nodiscard]] std::map<std::string, price_list> prices_at(double bytes) const;

  std::map<std::string, std::map<double, price_list>> all_prices = {};  ///< by strategy and size
};

/// A role of a file whose benchmarks may be ranked.
struct rankable_role {
  std::string name, description;
};

/// The roles of the device's benchmarks that are alternatives to each other, except that of copies.
std::vector<rankable_role> rankable_roles(const result_file::contents& content, std::size_t device);

/// The alternatives of a role, by direction and job; none if the device has no benchmarks of it
/// that are alternatives to each other, with warm caches and a size. `reads`: how often the CPU
/// reads the memory afterwards, if the role's benchmarks measure that.
std::vector<alternatives> alternatives_in(const result_file::contents& content,
                                          const std::filesystem::path& file, std::size_t device,
                                          const std::string& role, double reads = 0);

/// Whether what its memory costs is part of the answers about a role.
bool has_costs_of_memory(std::string_view role);
/// Whether its benchmarks measure how long the CPU reads the memory afterwards.
bool is_read_afterwards(std::string_view role);

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
