#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/fleet/judge/judge.hpp"
#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

// What all forms of an answer say, one line each. All texts are for people.

/// "64 GPUs on 16 nodes, sweep monday"; of host devices that no GPU was measured.
std::string size_text(const sweep& sweep);

/// Where the named part is: what all its GPUs have in common; empty texts for the rest.
gpu part_of(const sweep& sweep, const finding& found);

/// "GPU GPU-1 (node1 in rack r, slot 0000:c1:00.0)".
std::string subject_of(const sweep& sweep, const finding& found);

/// "5.0 % [4.0 %, 6.0 %]", and than what if not than its peers.
std::string slower_text(const slow_aspect& slow, const finding& found);

/// "+5.00 %"; "-" if it is not known. Of the place of a figure in a table.
std::string slower_cell(const std::optional<double>& slower);

/// In what it is slow, what its link is, since when.
std::string where_text(const sweep& sweep, const finding& found);

/// All of it.
std::string sentence_of(const sweep& sweep, const finding& found);

/// "GPU GPU-1: slow, slower by 5.0 %".
std::string summary_of(const finding& found);
/// The same as sentence_of in lines, each with a title, and what to do.
std::vector<std::string> lines_of(const sweep& sweep, const finding& found);

/// Ranks without results, node by node, and GPUs that are gone.
std::vector<std::string> absence_sentences(const judgement& judged);
std::vector<std::string> gone_sentences(const std::vector<gpu>& gone);
std::vector<std::string> missing_sentences(const std::vector<missing_rank>& missing);

}  // namespace bench_transfers::fleet
