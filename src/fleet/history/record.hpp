#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/fleet/judge/judge.hpp"
#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// Where a GPU is.
struct place {
  std::string node, slot, rack;

  friend bool operator==(const place&, const place&) = default;
};

/// A GPU in one sweep.
struct gpu_record {
  std::string model;
  fleet::place place;
  std::map<aspect, double> slower;  ///< than healthy ones: aspect_scores
  std::set<aspect> named;           ///< where it or a part around it is slow
  bool is_named = false;            ///< it or a part around it, for whatever reason
};

/// What a history keeps of a sweep: little of what the sweep has.
struct sweep_record {
  std::string id;
  std::optional<std::chrono::sys_seconds> begin;
  fleet::verdict verdict = verdict::unknown;
  std::map<std::string, gpu_record> gpus;  ///< by UUID
  std::vector<missing_rank> missing = {};  ///< of the judgement
  std::vector<gpu> gone = {};              ///< of the judgement, without times
  std::vector<unread_result> unread = {};
  std::vector<fleet::benchmark> benchmarks = {};
  std::set<std::string> other_procedures = {};               ///< of the judgement
  std::vector<common::message> problems_of_references = {};  ///< of the judgement
};
sweep_record record_of(const sweep& sweep, const judgement& judged);

}  // namespace bench_transfers::fleet
