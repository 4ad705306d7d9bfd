#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/advice/text.hpp"

// What the texts of several answers share.

namespace bench_transfers::advice {

inline constexpr const char* extrapolated_legend =
    "e extrapolated: more than twice beyond the sizes that were measured.";

std::string size_text(double bytes);
/// "± 4 %", of the total.
std::string interval_text(const statistics::estimate& shown);
/// A part, "3.5 %" or "> 999 %".
std::string error_cell(double part);
/// "per transfer 1 write and 0 reads by the CPU."
std::string accesses(const question& question);
/// The command that measures sizes. `options`: besides them.
std::string run_of(const std::set<std::size_t>& sizes, result_file::cache_state lines,
                   const std::string& options = "");

void add_origin(exports::answer& out, const measurements& measured, const ignored_rows& ignored);
void add_origin(exports::answer& out, const measurements& measured);

/// Of what is recommended; null if that is nothing, or they are not known.
const program_calls* calls_of(const ranking& ranked, const question& question,
                              const calls_by_strategy& calls,
                              const std::optional<std::string>& job = {});
std::string in_one_line(std::string lines);
void add_note_on_launches(exports::answer& out, const program_calls& calls);

/// Each reason once, with the strategies that it excludes.
void add_left_out(exports::answer& out, const std::vector<left_out>& all);
/// Stands first, because it changes the meaning of the question.
void add_allocation(exports::answer& out, const cost_model& model);
/// Names the terms that are missing from the sums.
void add_missing(exports::answer& out, const cost_model& model,
                 const std::vector<question>& questions);

}  // namespace bench_transfers::advice
