#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench_transfers::gate {

/// A fact that belongs to a fingerprint, and its path below context.transfers in a result file, or
/// below context in that of another program.
struct known_fact {
  std::string_view key;
  std::vector<const char*> path;
  enum class form { plain, gib, list } as = form::plain;  ///< gib: bytes, rounded
  const char* otherwise = "";  ///< where the file does not tell; empty: not known
};

/// In the order of fingerprints. A debug build has other times, and another nvcc other kernels;
/// settings change the meaning of figures.
std::span<const known_fact> known_facts();

/// Of other programs: what Google Benchmark says of the machine and of its own build. Not the
/// executable, which may be what is tested, nor load_avg, which is another one each time.
std::span<const known_fact> facts_of_other_programs();

/// All keys that can be allowed to differ, except memory_type.*.
std::vector<std::string> fact_keys();

}  // namespace bench_transfers::gate
