#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "src/gate/model/baseline.hpp"
#include "src/gate/model/fingerprint.hpp"
#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

// What a run is, and whether it counts. `pin`, `check` and `history` ask here.

// Beside the fingerprint, each run of a baseline may have another value of these keys, and a new
// one may have any of them.

inline constexpr std::string_view started_key = "run.started_utc";
inline constexpr std::string_view options_key = "settings.options";
/// All keys that differences_from() has beside those of the fingerprints.
inline constexpr std::array<std::string_view, 5> identity_keys{
    started_key, options_key, "device.pci_bus_id", "device.uuid", "host_name"};

/// Differences of a new run: a fact of the machine; it began before the baseline's newest session
/// on its GPU or machine; it was measured with other options than all of the baseline; its GPU's
/// slot, its GPU or its machine is none of the baseline's. Where the baseline has several GPUs in
/// the run's slot, it is of several machines, and any GPU is right. What the baseline does not tell
/// is not compared, unless it is false where nobody tells it.
std::vector<difference> differences_from(const baseline& before, const run& after);

/// Whether the times tell that a run is older than the baseline's newest session, or is not.
bool is_age_known(const baseline& before, const run& after);

/// Why a run shows nothing of the program on the machine that it names.
enum class doubt {
  faults_injected,   ///< on purpose
  disturbed,         ///< it was throttled, or its link changed
  nothing_measured,  ///< no benchmark has a figure: all failed, or have too few repetitions
};
std::vector<doubt> doubts_of(const run& process);
std::string to_string(doubt why);  ///< a word of history's JSON: "disturbed"

}  // namespace bench_transfers::gate
