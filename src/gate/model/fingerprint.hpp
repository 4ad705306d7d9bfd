#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bench_transfers::gate {

/// What decides whether two runs can be compared, in the order in which differences are reported:
/// key and value as text. What a file does not say is left out. The keys are those of
/// io/known_facts.hpp and
///   memory_type.<kind of host memory>: how the processor treats it.
/// The program's commit, compiler and toolkit are not among them: they may be what is tested. Nor
/// is what differs between equal machines or from day to day: names, load, the distribution.
using fingerprint = std::vector<std::pair<std::string, std::string>>;

/// A key of two fingerprints that is not the same; a side that does not have it is empty.
struct difference {
  std::string key, before, after;
};

/// In the order of fingerprints: what explains most comes first. A `memory_type` that only one side
/// knows is none: it is known of memory that a run has used.
std::vector<difference> differences(const fingerprint& before, const fingerprint& after);

}  // namespace bench_transfers::gate
