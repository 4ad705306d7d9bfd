#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "src/fleet/judge/levels.hpp"
#include "src/fleet/judge/parts.hpp"
#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// How much slower GPUs are than in sweeps that were accepted, in one aspect, as logarithms.
struct shifts {
  std::vector<std::optional<double>> slower;  ///< by position in peers::gpus
  std::vector<bool> by_itself;                ///< compared with itself, otherwise with its model
  /// What each GPU with three or more accepted runs differed by between these, from their median.
  std::vector<double> between_runs;
  /// What accepted sweeps differed by in common: the median GPU of each, from the median of all.
  std::vector<double> between_sweeps;
};

/// Compares with one or several accepted sweeps.
class baseline {
 public:
  /// Compares all benchmarks but those that are left out. The sweeps must live as long.
  explicit baseline(std::span<const sweep> sweeps, const std::set<std::string>& left_out = {});

  /// A GPU is compared with itself by its UUID, otherwise with the median GPU of its model; by the
  /// median over the benchmarks that both have, if these are at least half of those it has now.
  [[nodiscard]] shifts shifts_of(const sweep& now, const std::vector<std::size_t>& benchmarks,
                                 const peers& alike) const;

  /// GPUs that were on a node, of which others are there now, and that are not there any more; each
  /// as the baseline has it.
  [[nodiscard]] std::vector<const gpu*> lost(const sweep& now) const;

  /// Nodes that are not there now, and of which a GPU is on no other node either.
  [[nodiscard]] std::set<std::string> absent_nodes(const sweep& now) const;

  /// Whether any of the sweeps began after this one.
  [[nodiscard]] bool is_later(const sweep& now) const;

 private:
  /// Of the newest sweep that are not there now: what an older one has and it has not, has been
  /// accepted as gone.
  [[nodiscard]] std::vector<const gpu*> missed(const sweep& now, bool is_node_there) const;

  struct place {
    std::size_t sweep, gpu;
  };
  /// What the runs of a GPU, which is at these places, differed by, with their sweeps; empty if
  /// there is one alone.
  struct difference {
    std::size_t sweep;
    double from_median;
  };
  [[nodiscard]] std::vector<difference> differences(const sweep& now,
                                                    const std::vector<std::size_t>& benchmarks,
                                                    const std::vector<place>& places) const;
  [[nodiscard]] std::optional<double> median_cost(const std::vector<place>& places,
                                                  const std::string& benchmark) const;

  std::span<const sweep> sweeps_;
  /// Of each sweep, by name; a benchmark that is of several classes is there several times.
  std::vector<std::map<std::string, std::vector<std::size_t>>> benchmarks_;
  std::map<std::string, std::vector<place>> by_uuid_, by_model_;
};

/// What the parts of a model are slower by than in the baseline, and what would have been noticed
/// of a GPU.
struct slower_than_baseline {
  std::vector<common_slowdown> slow;
  std::vector<tested_parts> tested;
  double half_interval = 0;  ///< of 95 %, of a healthy GPU
};

/// A GPU is judged by how GPUs differ. What a wider part has in common is tested by the standard
/// error of its median, and by what sweeps differ by. `known` parts are slow anyway (attribution).
slower_than_baseline compare(const peers& alike, const shifts& shifts, const criteria& criteria,
                             const std::set<std::size_t>& known = {});

}  // namespace bench_transfers::fleet
