#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "src/common/exit_code.hpp"
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
  link_width,          ///< the same for the number of lanes
  slower_than_before,  ///< than in the baseline, in which it was itself
  slower_than_model,   ///< than the median GPU of its model in the baseline, in which it was not
  below_link_limit     ///< copies are slower by far than its link lets them be
};

/// What a part is compared with.
enum class reference { peers, baseline, link_limit };

/// An aspect in which a part is slow, or one of its benchmarks.
struct slow_aspect {
  fleet::aspect aspect;
  std::optional<std::size_t> benchmark;  ///< index into the sweep's
  statistics::estimate slower;           ///< as a part of the time: 0.05 is 5 % slower
  double confidence;                     ///< 1 less the rate of wrong findings at which it is one
  persistence how_long;
};

/// The first sweep of a trouble.
struct onset {
  std::string sweep;  ///< its id; may be empty
  std::optional<std::chrono::sys_seconds> begin;
  bool is_first_known = false;  ///< there is no earlier sweep that does not show it
  std::size_t sweeps = 1;       ///< that show it in a row: those with the GPU, to the newest
};

/// What to do about a finding.
enum class advice {
  take_out,        ///< of use
  look_at_node,    ///< does it run, does it see the GPU, what does its log say
  reseat,          ///< the card
  cable_or_riser,  ///< look at it, or exchange it
  slot_setting,    ///< the slot's or the BIOS's limits of generation and width
  shared_link,     ///< what the GPUs of the node share: `bench_transfers map`
  acs_and_iommu,   ///< and payload sizes
  numa_binding,    ///< of processes and memory
  host_memory,     ///< and the CPU: what pageable copies use
  clocks,          ///< and power of the GPU
  cooling,
  other_users,      ///< of the node at that time
  sizes_and_kinds,  ///< what only these benchmarks use
  driver_and_bios,  ///< what all of these parts have in common
  exchange,         ///< with a neighbour: the fault stays with the slot or goes with the card
  second_sweep,     ///< to confirm it: processes of one healthy GPU differ, too
  measure_again
};

/// A part that is slow, in one class of benchmarks.
struct finding {
  fleet::scope scope;
  std::size_t gpu;   ///< index into the sweep's; of a wider part its first
  std::string name;  ///< the GPU's UUID, the node, the rack, the slot, the fleet's model
  fleet::pattern pattern;
  benchmark_class kind = benchmark_class::link;
  std::vector<slow_aspect> aspects;  ///< the slowest first; empty for a link that is not slow
  fleet::reference reference = reference::peers;
  /// What its copies reach of what its links carry, if that is too little in a direction in which
  /// it is slow.
  std::optional<double> part_of_link = {};
  /// How many runs of the part's first GPU it rests on: each is one process.
  std::size_t processes = 0;
  std::vector<advice> what_to_do = {};  ///< the first one first
  std::optional<onset> since = {};      ///< none: not looked for, or not known
  std::vector<std::size_t> gpus = {};   ///< all GPUs of the part, ascending; of several models, too

  [[nodiscard]] bool has(std::size_t index) const;
  /// The slowest aspect; null if there is none.
  [[nodiscard]] const slow_aspect* worst() const {
    return aspects.empty() ? nullptr : &aspects.front();
  }
};

/// The model of a finding's GPUs; null if they are of several.
const std::string* model_of(const sweep& sweep, const finding& found);

/// On how many nodes a finding's GPUs are.
std::size_t nodes_of(const sweep& sweep, const finding& found);

/// What was tested in an aspect of a model's GPUs, and what would have been found.
struct tested_aspect {
  std::string model;
  fleet::aspect aspect;
  tested_parts parts;
  double detectable;  ///< as a part of the time
  fleet::reference reference = reference::peers;
};

/// By how much each GPU of the sweep is slower in an aspect, as a part of the time; none: it was
/// not measured, or there is nothing to compare it with.
struct aspect_scores {
  fleet::aspect aspect;
  std::vector<std::optional<double>> beside_peers;    ///< than healthy ones: slower_than_healthy
  std::vector<std::optional<double>> since_baseline;  ///< than in the baseline; empty without one
};

/// `named`: some part with GPUs is slow, or any is missing or has wrong data; `unknown`: nothing is
/// named, and not all that decides could be tested.
using verdict = common::exit_code;

/// Why a fleet without findings may not be healthy.
enum class doubt {
  host_device,         ///< GPUs that are none, but host memory, which has no link
  no_peers,            ///< GPUs without GPUs of their model on other nodes
  class_not_measured,  ///< GPUs without figures in a class that decides
  missing_figures,     ///< GPUs without figures that most of their peers have
  uncompared_figures,  ///< GPUs with figures that most of their peers do not have
  single_benchmark,    ///< GPUs that are slow in one benchmark alone
  not_in_baseline,     ///< GPUs to which the baseline has nothing to compare
  link_below_maximum,  ///< GPUs whose links run below what both ends can do, as those of their
                       ///< peers
  below_recorded,      ///< GPUs whose copies are slower than those of recorded machines
  nodes_not_measured,  ///< nodes of the newest baseline are not there, nor are their GPUs
  baseline_is_later,   ///< a baseline began after the sweep
  noise                ///< a slow GPU or node might not have been found
};

/// The GPUs that each doubt is about, as indices; none of what is about no GPU of the sweep.
using doubted = std::map<doubt, std::set<std::size_t>>;

/// What comparisons of the GPUs that are there show.
struct shown {
  std::vector<finding> findings;
  std::vector<tested_aspect> tested;
  std::vector<aspect_scores> scores;  ///< of all aspects that are judged
  doubted doubts;
};

/// What is not there.
struct absent_parts {
  std::vector<missing_rank> missing;  ///< but those of GPUs that are gone
  /// GPUs that were in the baseline and are not on their nodes any more; each with the rank that
  /// has left no results for it, if there is one.
  std::vector<gpu> gone;
  std::set<std::string> absent_nodes;     ///< of the baseline, whose GPUs are not on others
  std::set<std::string> declared_absent;  ///< the same, as the sweep says: no doubt
};

/// Its findings are what is named, the widest parts first.
struct judgement : shown, absent_parts {
  fleet::verdict verdict = verdict::unknown;
  std::vector<finding> not_named = {};  ///< slow host devices, which show nothing of GPUs
  /// GPUs that could not be tested, or not with a clear result: those with a doubt before
  /// link_below_maximum.
  std::vector<std::size_t> unknown_gpus = {};
  /// Benchmarks that other procedures have measured in what the sweep is compared with.
  std::set<std::string> other_procedures = {};
  /// Of what the sweep is compared with, which was slowed on purpose.
  std::vector<common::message> problems_of_baseline = {};
};

/// Those of the sweep, and of comparing it with others.
std::vector<common::message> problems_of(const sweep& sweep, const judgement& judged);

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

/// Names the parts of a fleet that are slow. GPUs of one model at one time are each other's first
/// reference; sweeps that were accepted, and what links can do, are further ones.
judgement judge(const sweep& sweep, const settings& settings,
                std::span<const fleet::sweep> baseline = {});

}  // namespace bench_transfers::fleet
