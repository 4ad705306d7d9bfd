#pragma once

#include <string>
#include <vector>

#include "src/fleet/judge/judge.hpp"
#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

// What all forms of an answer say, one line each. All texts are for people.

/// "64 GPUs on 16 nodes, sweep monday"; of host devices that no GPU was measured.
std::string size_text(const sweep& sweep);

/// "GPU GPU-1 (node1 in rack r, slot 0000:c1:00.0)".
std::string subject_of(const sweep& sweep, const finding& found);

/// "5.0 % [4.0 %, 6.0 %]", and than what if not than its peers.
std::string slower_text(const slow_aspect& slow, const finding& found);

/// In what it is slow, what its link is, since when.
std::string where_text(const sweep& sweep, const finding& found);

/// All of it.
std::string sentence_of(const sweep& sweep, const finding& found);

/// One for each host device, or node or rack of them, that is slow and not named.
std::vector<std::string> not_named_sentences(const sweep& sweep, const judgement& judged);

/// "GPU GPU-1: slow, slower by 5.0 %".
std::string summary_of(const finding& found);
/// The same as sentence_of in lines, each with a title, and what to do.
std::vector<std::string> lines_of(const sweep& sweep, const finding& found);

/// Ranks without results, node by node, and GPUs that are gone.
std::vector<std::string> absence_sentences(const judgement& judged);
std::vector<std::string> gone_sentences(const std::vector<gpu>& gone);
std::vector<std::string> missing_sentences(const std::vector<missing_rank>& missing);

/// All doubts, with which GPUs or nodes they are about.
std::vector<std::string> doubt_sentences(const sweep& sweep, const judgement& judged);

// The first ones, and how many more there are.

/// GPUs whose runs were resumed: their figures are not of one time.
std::vector<std::string> in_parts_sentences(const sweep& sweep);
std::vector<std::string> problem_sentences(const sweep& sweep);

}  // namespace bench_transfers::fleet
