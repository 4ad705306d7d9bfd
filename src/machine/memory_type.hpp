#pragma once

#include <optional>
#include <string>

namespace bench_transfers::machine {

/// How the processor treats memory. The flag WRITECOMBINED does not prove that memory is
/// write-combined, because a hypervisor may override it.
enum class memory_type {
  write_back,      ///< cached, as ordinary memory
  write_combined,  ///< not cached; stores leave in whole lines, and streaming loads, where there
                   ///< are any, fetch a line at a time (Intel SDM vol. 3A, "Memory Cache Control").
                   ///< On Arm: Normal Non-cacheable, which Linux maps for write-combining
  uncached,        ///< not cached; each access goes to memory by itself. On Arm: Device memory
  unclear,
};

/// "write-back", "write-combined", "uncached", "unclear"
std::string to_string(memory_type type);

/// Times of 8-byte stores, in ns, until the last has reached memory.
struct store_times {
  double one_of_each_line = 0;
  double all = 0;  ///< to all words of the same lines
};

/// Times of accessing the same number of bytes, in ns: 16-byte ordinary loads and streaming loads,
/// which are as wide, each with cold caches.
struct access_times {
  double plain = 0;
  std::optional<double> streaming;         ///< none if the processor has no such loads
  std::optional<double> again = {};        ///< ordinary loads once more, directly afterwards
  std::optional<store_times> stores = {};  ///< where loads do not tell
};

/// Classifies memory by how much slower than ordinary memory it is read, by whether a cache serves
/// the second read, and if not, by how much of the time streaming loads recover or, where there are
/// none, by whether the stores to a line are gathered. Unclear if a time that is needed is not
/// positive and finite.
memory_type classify(const access_times& memory, const access_times& ordinary);

}  // namespace bench_transfers::machine
