#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/fleet/judge/parts.hpp"
#include "src/fleet/judge/question.hpp"

namespace bench_transfers::fleet {

/// Where parts of any model are: the scope and the name of a node, rack or slot; the fleet has
/// none.
using place_in_fleet = std::pair<scope, std::string>;
place_in_fleet place_of(const sweep& sweep, const peers& alike, const part_of_peers& part);
/// The places of a class that are slow as a whole, in any aspect and model.
using slow_places = std::map<benchmark_class, std::set<place_in_fleet>>;

/// The part's finding by this reference in this class, which is added if it is new.
finding& finding_of(const sweep& sweep, const peers& alike, const part_of_peers& part,
                    reference reference, benchmark_class kind, pattern pattern,
                    std::vector<finding>& findings);

/// Whether a finding is about a part or one around it.
bool is_around(const finding& found, const peers& alike, const part_of_peers& part);

/// Whether a part is slow in an aspect as a whole, not only in single benchmarks of it.
const slow_aspect* slow_as_a_whole(const finding& found, const aspect& aspect);

/// What is slow as a whole first, then by how much.
void sort_aspects(finding& found);

/// How a part is slow, by all its aspects.
pattern pattern_of(const finding& found, const std::set<aspect>& measured);

/// Takes out the findings that rest on a single benchmark which may be chance; those that may be
/// more are doubts. Each reference calls it before the next one looks for what is not named yet.
void take_out_lone_benchmarks(const question& asked, shown& known);

/// Makes one finding of those that different models have of one part, and of one model's part and
/// what three quarters of another model's GPUs in the same place are slower by. Slowdowns are about
/// the same where none is more than twice another.
std::vector<finding> one_for_all_models(const question& asked, std::vector<finding> findings);

}  // namespace bench_transfers::fleet
