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

// Of a ranking, in ranking_text.cpp.

/// "memory used once; per transfer 1 write and 0 reads by the CPU."
std::string memory_use(const question& question);
/// What to use, and how sure that is. `options`: of the command that measures more.
std::string recommendation(const ranking& ranked, const question& question,
                           const std::string& options = "");
/// What is recommended, as a program calls it. Nothing for null.
void add_calls(exports::answer& out, const program_calls* calls);
/// The strategies with their terms; `with_pays`: from how many transfers on each pays.
exports::table table_of(const cost_model& model, const question& question, const ranking& ranked,
                        bool with_pays);
/// Whether it is known of any strategy from how many transfers on it pays.
bool has_pays(const ranking& ranked);
void add_legend(exports::answer& out, int processes, const cost_model& model,
                const ranking& ranked);

/// Each reason once, with the strategies that it excludes.
void add_left_out(exports::answer& out, const std::vector<left_out>& all);
/// Stands first, because it changes the meaning of the question.
void add_allocation(exports::answer& out, const cost_model& model);
/// Names the terms that are missing from the sums.
void add_missing(exports::answer& out, const cost_model& model,
                 const std::vector<question>& questions);

}  // namespace bench_transfers::advice
