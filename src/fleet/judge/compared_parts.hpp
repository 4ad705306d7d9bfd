#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "src/fleet/judge/scores.hpp"

namespace bench_transfers::fleet {

/// A GPU, node, rack or slot with its score.
struct scored_part {
  std::size_t index;  ///< into the GPUs, nodes, racks or slots of the peers
  fleet::score score;
  fleet::score in_fleet = {};  ///< of a GPU or a slot: beside the whole fleet, not only its nodes
};

/// One member of all scores.
std::vector<double> column(const std::vector<scored_part>& parts, double score::*member);

/// The score of a part by those of its members, which differ by this deviation. `middle_of_values`:
/// a median.
score middle_of(const std::vector<scored_part>& members, double deviation,
                const std::function<double(std::vector<double>)>& middle_of_values);

/// The parts with their distances from the median of the others in place of their scores.
std::vector<scored_part> distances_from_others(std::vector<scored_part> parts);

/// Parts with their distances from healthy ones in place of their scores, and those whose distances
/// show how healthy parts differ.
struct compared_parts {
  std::vector<scored_part> parts, healthy;
};

/// If half or more of the parts, but not all, are slower than the others by `least_gap` or more,
/// the faster ones are the healthy ones: the median of all would be no reference. Otherwise the
/// others are each part's reference.
compared_parts compared_with_healthy(std::vector<scored_part> parts, double least_gap);

/// A slot or a rack, and which of the parts that it is made of it has.
struct group {
  std::size_t index;                 ///< into the slots or racks of the peers
  std::vector<std::size_t> members;  ///< positions in the list of those parts
};

/// Groups of these parts, by the indices of their members. A group that has one or all of the parts
/// is left out: nothing tells it from them.
std::vector<group> groups_of(const std::vector<scored_part>& parts,
                             const std::vector<std::vector<std::size_t>>& members);

std::vector<scored_part> members_of(const group& group, const std::vector<scored_part>& parts);

}  // namespace bench_transfers::fleet
