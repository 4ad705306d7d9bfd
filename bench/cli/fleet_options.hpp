#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/settings.hpp"
#include "src/fleet/launcher/rank.hpp"

namespace bench_transfers::bench {

/// The options that only `bench_transfers fleet` has.
struct fleet_request {
  std::filesystem::path out;  ///< a folder
  std::string rack, sweep;    ///< empty: what the launcher or the environment says
  std::string mpi = "auto";   ///< "auto", "none" or a plugin's path
  double wait_s = 60;         ///< for another rank of the node
  std::optional<std::size_t> ranks_per_node;
};

/// Whether a command line is one of `bench_transfers fleet`.
bool is_fleet_command(std::span<const char* const> arguments);

/// The command line of a run: without the word "fleet".
std::vector<const char*> without_command(std::span<const char* const> arguments);

/// What --help says of it.
std::string fleet_description();

class option_table;

/// Adds its options to those of a run. Parsing fills in the table's request.
void add_fleet_options(option_table& table);

/// Throws usage_error.
void check_fleet_request(const fleet_request& request, const settings& settings);

/// What the launcher says; none for a process that was started by hand. Throws usage_error for
/// variables that contradict each other.
std::optional<fleet::launched_rank> rank_by_launcher(const fleet_request& request);

}  // namespace bench_transfers::bench
