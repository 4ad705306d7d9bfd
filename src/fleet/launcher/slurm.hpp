#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "src/fleet/launcher/variable_reader.hpp"

// What Slurm tells in ways of its own.

namespace bench_transfers::fleet {

inline constexpr variable_names slurm_step{"SLURM_STEP_ID", "SLURM_STEPID"};

/// Whether a process of a step is a rank: srun has started the step, or it has tasks of its own.
bool is_slurm_rank(const environment& variables);

/// How many ranks this node has. Throws bad_rank.
std::optional<std::size_t> slurm_local_size(variable_reader& read);

/// The last switch on the way to the node: "s0.s4.node7" with the pattern "switch.switch.node" is
/// "s4" (sbatch(1), SLURM_TOPOLOGY_ADDR).
std::string slurm_leaf_switch(const environment& variables);

}  // namespace bench_transfers::fleet
