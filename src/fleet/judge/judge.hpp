#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/fleet/judge/levels.hpp"
#include "src/fleet/model/sweep.hpp"
#include "src/statistics/estimate.hpp"

namespace bench_transfers::fleet {

/// How a part is slow.
enum class pattern {
  slow,                ///< in both directions, or in the only one that was measured
  slow_one_direction,  ///< in one of them
  slow_together,       ///< only while all GPUs of the node copy
  slow_some,           ///< in single benchmarks, not in what they have in common with others
  intermittent,        ///< only in some runs or repetitions
  wrong_data,          ///< slow or not, bytes did not arrive as they were sent
  link_generation,     ///< slow or not, its link runs at a lower generation than those of its peers
  link_width           ///< the same for the number of lanes
};

/// An aspect in which a part is slow, or one of its benchmarks.
struct slow_aspect {
  fleet::aspect aspect;
  std::optional<std::size_t> benchmark;  ///< index into the sweep's
  statistics::estimate slower;           ///< as a part of the time: 0.05 is 5 % slower
  double confidence;                     ///< 1 less the rate of wrong findings at which it is one
  persistence how_long;
};

/// A part that is slow, in one class of benchmarks.
struct finding {
  fleet::scope scope;
  std::size_t gpu;   ///< index into the sweep's; of a node or rack its first
  std::string name;  ///< the GPU's UUID, the node, the rack
  fleet::pattern pattern;
  benchmark_class kind = benchmark_class::link;
  std::vector<slow_aspect> aspects;  ///< the slowest first; empty for a link that is not slow

  /// The slowest aspect; null if there is none.
  [[nodiscard]] const slow_aspect* worst() const {
    return aspects.empty() ? nullptr : &aspects.front();
  }
};

/// What was tested in an aspect of a model's GPUs, and what would have been found.
struct tested_aspect {
  std::string model;
  fleet::aspect aspect;
  tested_parts parts;
  double detectable;  ///< as a part of the time
};

enum class verdict {
  healthy,
  named,   ///< some part is slow or missing
  unknown  ///< nothing is named, and not all that decides could be tested
};

/// Why a fleet without findings may not be healthy.
enum class doubt {
  no_peers,            ///< GPUs without GPUs of their model on other nodes
  class_not_measured,  ///< GPUs without figures in a class that decides
  missing_figures,     ///< GPUs without figures that most of their peers have
  uncompared_figures,  ///< GPUs with figures that most of their peers do not have
  single_benchmark,    ///< GPUs that are slow in one benchmark alone
  link_below_maximum,  ///< GPUs whose links run below what both ends can do, as those of their
                       ///< peers
  noise                ///< a slow GPU or node might not have been found
};

struct judgement {
  fleet::verdict verdict = verdict::unknown;
  std::vector<finding> findings;  ///< racks first, then nodes, then GPUs
  std::vector<missing_rank> missing;
  std::vector<tested_aspect> tested;
  /// The GPUs that each doubt is about, as indices; none of `noise`.
  std::map<doubt, std::set<std::size_t>> doubts;
  /// GPUs that could not be tested, or not with a clear result: those with a doubt of the first
  /// five.
  std::vector<std::size_t> unknown_gpus;
};

/// What counts as slow in a class, as a part of the time.
struct class_criteria {
  double threshold;      ///< a smaller slowdown does not matter
  double expected;       ///< deviation of healthy GPUs, until the fleet shows its own
  bool decides = false;  ///< a healthy fleet must be known to be so in this class
};

struct settings {
  std::map<benchmark_class, class_criteria> classes;
  double false_alarm = 0.01;  ///< any part is named in a healthy fleet at this rate
  double must_detect = 0.05;  ///< a fleet that would hide this in a class that decides is unknown

  /// The link decides, or the classes given. Deviations are those of the recorded H200 machines
  /// (docs/GATE.md).
  static settings usual(const std::set<benchmark_class>& deciding = {benchmark_class::link});
};

/// Names the parts of a fleet that are slow. GPUs of one model at one time are each other's
/// reference.
judgement judge(const sweep& sweep, const settings& settings);

}  // namespace bench_transfers::fleet
