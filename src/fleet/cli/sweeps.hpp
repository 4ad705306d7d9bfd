#pragma once

#include <filesystem>
#include <vector>

#include "src/fleet/history/history.hpp"
#include "src/fleet/judge/judge.hpp"

namespace bench_transfers::fleet {

using paths = std::vector<std::filesystem::path>;

/// Sweeps that are judged. What cannot be used is complained about.
struct read_history {
  std::vector<sweep_record> records;
  bool is_complete = true;
};

/// Throws unusable_sweep.
std::vector<sweep> read_sweeps(const paths& files);

/// Throws usage_error if the sweep that is judged is among them, unusable_sweep.
std::vector<sweep> read_references(const paths& files, const sweep& judged);

/// Each is judged by its peers and the references, but for itself.
read_history records_of(const paths& folders, const settings& settings,
                        const std::vector<sweep>& references);

}  // namespace bench_transfers::fleet
