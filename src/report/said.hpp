#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/common/message.hpp"
#include "src/report/run.hpp"
#include "src/statistics/ratio.hpp"

// What is said of one run beside how far it can be trusted.

namespace bench_transfers::report {

/// What matters most in a run with a GPU, the largest factor first: a few sentences.
std::vector<common::message> what_matters(const run& of);

struct use {
  std::string strategy;
  std::string summary;  ///< the file's words for it; may be empty
  std::string place;    ///< "to the device", where it is not used in both directions
};

/// A strategy of a rule beside the plain copy, in one direction.
struct gained {
  std::string benchmark;   ///< its name
  statistics::ratio gain;  ///< how many times as fast as the plain copy
  bool is_clear;
  std::string subject;  ///< "copy/pinned to the device, 1 GiB: 55.4 GB/s"
  std::string text;     ///< "6.01× [5.98, 6.05]"
  std::string doubt;    ///< that it is not clear, as the end of a sentence; may be empty
};

/// What to use, as a rule.
struct rule {
  std::string code;  ///< "large", "small", "ordinary"
  std::string data;  ///< what it is about, in words
  std::vector<report::use> uses;
  std::string why;  ///< sentences
  std::vector<report::gained> gains = {};
};

/// The rules that a run with a GPU supports.
std::vector<rule> rules_of(const run& of);

/// What the recommendations of a run rest on: "predicted", the same for the "map", "extrapolated"
/// of those that are, "not_included" if something was not measured. Empty if nothing can be ranked.
std::vector<common::message> basis_of_recommendations(const run& of);

/// Which strategies, or kinds of memory, one line of a figure can stand for.
struct alike {
  std::string of;                   ///< "transfers", "transfers_by_interval", "allocation"
  std::optional<std::size_t> size;  ///< none: at every size; of transfers, from 1 MiB on
  /// The plainest first, in each group and of the groups.
  std::vector<std::vector<std::string>> groups;
  std::string text;  ///< what is alike
};

/// Of transfers at all large sizes and at each size, and of allocation and release. Alike are those
/// within 1 % of each other in all that both have, or within 10 % if repetitions do not differ: of
/// 20 pairs 19 agree, or by interval, that of their ratio excludes 1.
std::vector<alike> all_alike(const run& of);

}  // namespace bench_transfers::report
