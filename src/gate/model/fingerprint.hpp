#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bench_transfers::gate {

/// The facts that decide whether two runs can be compared, in the order in which differences are
/// reported: key and value as text. Facts that a file lacks are left out. The keys are those of
/// io/known_facts.hpp and
///   memory_type.<kind of host memory>: how the processor treats it.
/// The program's commit, compiler and toolkit are not among them: they may be what is tested. Nor
/// are facts that differ between equal machines or from day to day: names, load, the distribution.
using fingerprint = std::vector<std::pair<std::string, std::string>>;

/// A key whose values differ between two fingerprints; the value is empty on a side that lacks it.
struct difference {
  std::string key, before, after;
};

/// Whether what does not tell this fact is taken for one where it is false. Confidential computing
/// makes each transfer slower, so that it is on is news where nobody knows what was before: older
/// files do not tell.
bool is_false_unless_told(const std::string& key);

/// Whether what does not tell a fact has this value: older files are of one process. Baselines do
/// not tell it either.
bool goes_without_saying(const std::string& key, const std::string& value);

/// In the order of fingerprints: the facts that explain most come first. A `memory_type` that only
/// one side has is no difference: it is known only of memory that a run has used. Nor are 5 % of
/// `mhz_per_cpu`, which some files have from a measurement, nor is a fact that one side lacks and
/// the other says is false, if it is false unless told.
std::vector<difference> differences(const fingerprint& before, const fingerprint& after);

}  // namespace bench_transfers::gate
